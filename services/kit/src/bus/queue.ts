import type { Codec } from './codec.ts'

/** A work queue: each job is leased to one worker at a time, and delivered again until it is done or has used up its deliveries. */
export type Queue<Job> = Codec<Job> & {
  name: string
  /** How long a job is leased to a worker; when it is neither done nor renewed in time, it is delivered again. */
  acknowledgeWithinMilliseconds: number
  /** Deliveries after which a failed job becomes a dead letter. */
  maxDeliveries: number
  /** Pauses before the second, third, ... delivery; the last one repeats. */
  backOffMilliseconds: readonly number[]
  /** Jobs, waiting or in progress, past which `enqueue` throws `unavailable`. */
  maxWaiting: number
}

/** A queue without the codec of its jobs. */
export type QueueRules = Omit<Queue<unknown>, keyof Codec<unknown>>

type QueueDeclaration<Job> = Codec<Job> & { name: string } & Partial<Omit<Queue<Job>, 'name' | 'encode' | 'decode'>>

/** Declares a queue. Defaults: leases of 30 s, 5 deliveries, back-off of 1 s, 5 s, then 30 s, 10,000 jobs. */
export const queue = <Job>(declaration: QueueDeclaration<Job>): Queue<Job> => ({
  acknowledgeWithinMilliseconds: 30_000,
  maxDeliveries: 5,
  backOffMilliseconds: [1_000, 5_000, 30_000],
  maxWaiting: 10_000,
  ...declaration,
})

/** The back-off after this delivery of a job failed, in milliseconds. */
export const pauseAfter = ({ backOffMilliseconds }: QueueRules, delivery: number): number =>
  backOffMilliseconds[Math.min(delivery, backOffMilliseconds.length) - 1] ?? 0

/** The reason that a dead letter states for what its handler threw. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
