import type { Codec } from './codec.ts'

/** Work that exactly one worker at a time takes, and that comes back until it is done or has failed too often. */
export type Queue<Job> = Codec<Job> & {
  name: string
  /** A job neither done nor reported as being worked on for this long is given to another worker. */
  acknowledgeWithinMilliseconds: number
  /** Deliveries after which a job goes to the dead letters. */
  maxDeliveries: number
  /** Pauses before the second, third, ... delivery; the last one repeats. */
  backOffMilliseconds: readonly number[]
  /** Waiting jobs past which `enqueue` refuses. */
  maxWaiting: number
}

/** A queue apart from what its jobs are. */
export type QueueRules = Omit<Queue<unknown>, keyof Codec<unknown>>

type QueueDeclaration<Job> = Codec<Job> & { name: string } & Partial<Omit<Queue<Job>, 'name' | 'encode' | 'decode'>>

/** Declares a queue; what is left out has these defaults: 30 s, 5 deliveries, 1 s to 30 s, 10,000 jobs. */
export const queue = <Job>(declaration: QueueDeclaration<Job>): Queue<Job> => ({
  acknowledgeWithinMilliseconds: 30_000,
  maxDeliveries: 5,
  backOffMilliseconds: [1_000, 5_000, 30_000],
  maxWaiting: 10_000,
  ...declaration,
})

/** How long a job waits after its delivery of this number failed, in milliseconds. */
export const pauseAfter = ({ backOffMilliseconds }: QueueRules, delivery: number): number =>
  backOffMilliseconds[Math.min(delivery, backOffMilliseconds.length) - 1] ?? 0

/** What a dead letter says of what a handler threw. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
