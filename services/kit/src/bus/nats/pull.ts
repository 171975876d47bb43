import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import { addAbortListener } from '../../lifecycle/mod.ts'
import type { Connection } from './connection.ts'
import { type DeliveryInfo, readDelivery } from './delivery.ts'

/** A request for a job stays with the server this long, in milliseconds; then it is made again. */
const requestMilliseconds = 25_000
/** An answer that has not come so long after that is not waited for any more. */
const graceMilliseconds = 5_000

export type Pulled = { delivery: DeliveryInfo; bytes: Uint8Array; reply: string }

/** What came of asking for a job. `absent`: there is no such consumer. */
export type Pull = Pulled | 'none' | 'absent'

type PullOptions = {
  stream: string
  consumer: string
  /** A job that came when nobody asked for it any more. */
  onUnsolicited: (pulled: Pulled) => void
}

/** The server's word in place of a job. 503: nobody listens where the request went; 409: the consumer is gone or at a limit. */
const statusOf = ({ headers }: Msg): Pull => (headers?.code === 503 || headers?.code === 409 ? 'absent' : 'none')

/**
 * Asks a consumer for one job at a time, so that no job ever waits in a process: while its handler is busy, the next
 * job is with the server and may go elsewhere.
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
  const forget = onLost(() => answer('none'))

  return {
    /** Waits for a job, which is asked for before this returns; `none` when there was none for a while, the connection went, or the signal aborted. */
    next: async (signal: AbortSignal): Promise<Pull> => {
      if (!isConnected()) await connected(signal).catch(() => undefined)
      if (signal.aborted) return 'none'
      const { promise, resolve } = Promise.withResolvers<Pull>()
      requested = resolve
      const request = JSON.stringify({ batch: 1, expires: nanos(requestMilliseconds) })
      nats.publish(`${jetStream.apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${consumer}`, request, { reply: inbox })
      const giveUp = () => answer('none')
      const timer = setTimeout(giveUp, requestMilliseconds + graceMilliseconds)
      const unlink = addAbortListener(signal, giveUp)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        unlink()
      }
    },
    /** Takes back what was asked for; a job that is already on its way still arrives, as one that nobody asked for. */
    close: async () => {
      forget()
      // Without a connection nothing is on its way, and nobody would answer.
      if (isConnected()) await whileConnected(subscription.drain()).catch(() => undefined)
      else subscription.unsubscribe()
    },
  }
}
