/** What JetStream says of a message in the subject that an acknowledgement goes to. */
export type DeliveryInfo = {
  /** The stream's number of the message. */
  sequence: number
  /** The consumer's number of the delivery: one more each time, whatever is delivered. */
  consumerSequence: number
  /** How often the message was handed out, this time included. */
  deliveries: number
  /** When it was stored, by the server's clock, in milliseconds. */
  storedAt: number
  /** Messages that the consumer has for us behind this one. */
  pending: number
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer sequence>.<nanoseconds>.<pending>`; where the
 * server puts a domain and an account before the stream, there are two tokens more, and perhaps some behind.
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
