import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import { addAbortListener } from '../../lifecycle/mod.ts'
import type { Connection } from './connection.ts'
import { type DeliveryInfo, readDelivery } from './delivery.ts'

/** How long a pull request stays open on the server before it is repeated, in milliseconds. */
const requestMilliseconds = 25_000
/** How long past its expiry a request without an answer is waited for, in milliseconds. */
const graceMilliseconds = 5_000

export type Pulled = { delivery: DeliveryInfo; bytes: Uint8Array; reply: string }

/** The outcome of waiting for a job. `none`: the connection was lost or the signal aborted; `absent`: there is no such consumer. */
export type Pull = Pulled | 'none' | 'absent'

type PullOptions = {
  stream: string
  consumer: string
  /** Receives a job that arrives when no handler waits for one. */
  onUnsolicited: (pulled: Pulled) => void
}

/** How many jobs of a pull request that has ended were not delivered. */
const undelivered = ({ headers }: Msg): number => Number(headers?.get('Nats-Pending-Messages') || 1)

/** Whether a status reports that the request had no responder (503), or that the consumer is gone or at a limit (409). */
const isAbsent = ({ headers }: Msg): boolean => headers?.code === 503 || headers?.code === 409

/**
 * Pulls jobs from a consumer for handlers that wait for one, so that no job waits in a process: while all handlers are busy, the next
 * job stays on the server and may be delivered elsewhere. One request covers several waiting handlers.
 */
export const openPull = (
  { nats, jetStream, isConnected, connected, whileConnected, onLost }: Connection,
  { stream, consumer, onUnsolicited }: PullOptions,
) => {
  const inbox = createInbox()
  const subject = `${jetStream.apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${consumer}`
  /** Handlers that wait for a job, oldest first. */
  const waiting = new Set<(pull: Pull) => void>()
  /** Jobs that were requested and have not arrived. */
  let requested = 0
  let expiry: NodeJS.Timeout | undefined

  const answer = (pull: Pull): boolean => {
    const [first] = waiting
    if (!first) return false
    waiting.delete(first)
    first(pull)
    return true
  }

  /** Requests a job for each waiting handler, unless half of them are requested already, so that a busy worker sends few requests. */
  const request = () => {
    if (!isConnected() || requested * 2 >= waiting.size) return
    const batch = waiting.size - requested
    requested += batch
    nats.publish(subject, JSON.stringify({ batch, expires: nanos(requestMilliseconds) }), { reply: inbox })
    clearTimeout(expiry)
    expiry = setTimeout(requestAgain, requestMilliseconds + graceMilliseconds)
  }

  /** The status that ends a request may be lost: after its time nothing is pending. */
  const requestAgain = () => {
    requested = 0
    request()
  }

  const receive = (error: Error | null, message: Msg): void => {
    const { reply } = message
    const delivery = readDelivery(reply)
    const isJob = !error && delivery !== undefined && reply !== undefined
    if (isJob) {
      requested = Math.max(0, requested - 1)
      const pulled = { delivery, bytes: message.data, reply }
      if (!answer(pulled)) onUnsolicited(pulled)
    } else if (error || isAbsent(message)) {
      requested = 0
      // One handler is enough: its next request is for all that wait.
      answer('absent')
    } else {
      requested = Math.max(0, requested - undelivered(message))
      request()
    }
  }
  const subscription = nats.subscribe(inbox, { callback: receive })
  const unsubscribeLost = onLost(() => {
    requested = 0
    while (answer('none'));
  })

  return {
    /** Waits for a job; sends a request at once if one is needed and there is a connection. */
    next: async (signal: AbortSignal): Promise<Pull> => {
      if (!isConnected()) await connected(signal).catch(() => undefined)
      if (signal.aborted) return 'none'
      const { promise, resolve } = Promise.withResolvers<Pull>()
      waiting.add(resolve)
      request()
      const unlink = addAbortListener(signal, () => {
        if (waiting.delete(resolve)) resolve('none')
      })
      try {
        return await promise
      } finally {
        unlink()
      }
    },
    /** Withdraws the requests; a job that is already in flight still arrives, as unsolicited. */
    close: async () => {
      unsubscribeLost()
      clearTimeout(expiry)
      // Without a connection nothing is in flight, and draining would get no answer.
      if (isConnected()) await whileConnected(subscription.drain()).catch(() => undefined)
      else subscription.unsubscribe()
    },
  }
}
