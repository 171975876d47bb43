/** Metadata of a message, which JetStream puts into the reply subject of its delivery. */
export type DeliveryInfo = {
  /** The message's sequence in the stream. */
  sequence: number
  /** The consumer's sequence of the delivery: it increases by one with every delivery. */
  consumerSequence: number
  /** How often the message was delivered, this time included. */
  deliveries: number
  /** When it was stored, by the server's clock, in milliseconds. */
  storedAt: number
  /** Messages that the consumer still has to deliver after this one. */
  pending: number
}

/**
 * Parses `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer sequence>.<nanoseconds>.<pending>`. Where the
 * server adds a domain and an account before the stream, there are two more tokens, and perhaps some at the end.
 */
export const readDelivery = (reply: string | undefined): DeliveryInfo | undefined => {
  if (!reply?.startsWith('$JS.ACK.')) return undefined
  const tokens = reply.split('.')
  const start = tokens.length === 9 ? 4 : 6
  const number = (index: number) => Number(tokens[start + index])
  const info = {
    deliveries: number(0),
    sequence: number(1),
    consumerSequence: number(2),
    storedAt: number(3) / 1e6,
    pending: number(4),
  }
  return Object.values(info).every(Number.isFinite) ? info : undefined
}
