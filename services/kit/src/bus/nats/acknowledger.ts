import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import type { Connection } from './connection.ts'

const attemptMilliseconds = 2_000
const pauseMilliseconds = 100

/** Acknowledges, requeues or renews jobs, on the reply subject of their delivery. */
export const createAcknowledger = ({ nats, connected, isConnected, whileConnected }: Connection) => ({
  /** Acknowledges a job, retrying until the server confirms, also across a lost connection. Throws after `within` milliseconds. */
  done: async (reply: string, within: number): Promise<void> => {
    const limit = performance.now() + within
    for (;;) {
      try {
        if (!isConnected()) await connected(AbortSignal.timeout(Math.max(1, Math.ceil(limit - performance.now()))))
        await whileConnected(nats.request(reply, '+ACK', { timeout: attemptMilliseconds }))
        return
      } catch (error) {
        if (performance.now() >= limit) throw error
        await sleep(pauseMilliseconds)
      }
    }
  },
  /** Requeues a job after a pause. Best effort: if the message is lost, the server redelivers the job after its acknowledgement time-out. */
  again: (reply: string, milliseconds: number) => {
    if (isConnected()) nats.publish(reply, milliseconds > 0 ? `-NAK {"delay":${nanos(milliseconds)}}` : '-NAK')
  },
  /** Renews the lease on a job. Returns false without a connection. */
  working: (reply: string): boolean => {
    if (isConnected()) nats.publish(reply, '+WPI')
    return isConnected()
  },
})

export type Acknowledger = ReturnType<typeof createAcknowledger>
