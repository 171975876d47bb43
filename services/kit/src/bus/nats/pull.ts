import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import { addAbortListener } from '../../lifecycle/mod.ts'
import type { Connection } from './connection.ts'
import { type DeliveryInfo, readDelivery } from './delivery.ts'

/** How long a pull request stays open on the server before it is repeated, in milliseconds. */
const requestMilliseconds = 25_000
/** How long past its expiry a request without an answer is waited for, in milliseconds. */
const graceMilliseconds = 5_000

export type Pulled = { delivery: DeliveryInfo; bytes: Uint8Array; reply: string }

/** The outcome of a pull request. `absent`: there is no such consumer. */
export type Pull = Pulled | 'none' | 'absent'

type PullOptions = {
  stream: string
  consumer: string
  /** Receives a job that arrives after its request was abandoned. */
  onUnsolicited: (pulled: Pulled) => void
}

/** Interprets a status message in place of a job. 503: the request had no responder; 409: the consumer is gone or at a limit. */
const statusOf = ({ headers }: Msg): Pull => (headers?.code === 503 || headers?.code === 409 ? 'absent' : 'none')

/**
 * Pulls one job at a time from a consumer, so that no job waits in a process: while its handler is busy, the next
 * job stays on the server and may be delivered elsewhere.
 */
export const openPull = (
  { nats, jetStream, isConnected, connected, whileConnected, onLost }: Connection,
  { stream, consumer, onUnsolicited }: PullOptions,
) => {
  const inbox = createInbox()
  let requested: ((pull: Pull) => void) | undefined
  const answer = (pull: Pull) => {
    requested?.(pull)
    requested = undefined
  }
  const receive = (error: Error | null, message: Msg): void => {
    const { reply } = message
    const delivery = readDelivery(reply)
    if (error || !delivery || reply === undefined) answer(error ? 'absent' : statusOf(message))
    else if (requested) answer({ delivery, bytes: message.data, reply })
    else onUnsolicited({ delivery, bytes: message.data, reply })
  }
  const subscription = nats.subscribe(inbox, { callback: receive })
  const unsubscribeLost = onLost(() => answer('none'))

  return {
    /** Waits for a job; sends the request at once if connected. `none`: no job arrived in time, the connection was lost, or the signal aborted. */
    next: async (signal: AbortSignal): Promise<Pull> => {
      if (!isConnected()) await connected(signal).catch(() => undefined)
      if (signal.aborted) return 'none'
      const { promise, resolve } = Promise.withResolvers<Pull>()
      requested = resolve
      const request = JSON.stringify({ batch: 1, expires: nanos(requestMilliseconds) })
      nats.publish(`${jetStream.apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, { reply: inbox })
      const abandon = () => answer('none')
      const timer = setTimeout(abandon, requestMilliseconds + graceMilliseconds)
      const unlink = addAbortListener(signal, abandon)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        unlink()
      }
    },
    /** Withdraws the request; a job that is already in flight still arrives, as unsolicited. */
    close: async () => {
      unsubscribeLost()
      // Without a connection nothing is in flight, and draining would get no answer.
      if (isConnected()) await whileConnected(subscription.drain()).catch(() => undefined)
      else subscription.unsubscribe()
    },
  }
}
