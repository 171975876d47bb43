import { setTimeout as sleep } from 'node:timers/promises'
import { nanos } from '@nats-io/transport-node'
import type { Connection } from './connection.ts'

const attemptMilliseconds = 2_000
const pauseMilliseconds = 100

/** The three words on a job. They go to the subject that it was delivered with. */
export const createAcknowledger = ({ nats, connected, isConnected, whileConnected }: Connection) => ({
  /** The job is done. Asks until the server has understood, also across a lost connection; throws past the time, in milliseconds. */
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
  /** It comes again, after a pause. If this is lost, it comes when the server's patience ends. */
  again: (reply: string, milliseconds: number) => {
    if (isConnected()) nats.publish(reply, milliseconds > 0 ? `-NAK {"delay":${nanos(milliseconds)}}` : '-NAK')
  },
  /** It is still being worked on. False when nobody can be told. */
  working: (reply: string): boolean => {
    if (isConnected()) nats.publish(reply, '+WPI')
    return isConnected()
  },
})

export type Acknowledger = ReturnType<typeof createAcknowledger>
