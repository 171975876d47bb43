import type { KeyValue, Update } from './key-value.ts'
import type { Queue } from './queue.ts'
import type { Topic } from './topic.ts'

/**
 * What a reader of a topic gets: events in order, each once, or word that some are no longer to be had.
 * Sequences grow within a topic, are never used again, and may skip numbers.
 */
export type Delivery<Event> =
  | { kind: 'event'; sequence: number; event: Event }
  /** Events were dropped before this reader came to them; how many, where that is known. */
  | { kind: 'gap'; missed: number | null }

/** `delivery` counts from 1 how often it was given to a handler; times that ended with a worker that stopped do not count. */
export type Job<Value> = { value: Value; delivery: number }

export type Handling = {
  /** Aborted when the worker stops, or when the job has been taken from it for being late. */
  signal: AbortSignal
  /** Says that the job is still being worked on. */
  working: () => void
}

export type WorkOptions = { concurrency?: number; signal: AbortSignal }

export type DeadLetter<Value> = { value: Value; deliveries: number; reason: string }

/** Events and work between processes; within one process, embedded. */
export type Bus = AsyncDisposable & {
  /**
   * Adds an event; gives its sequence. Events of one topic keep the order of the calls, also when they are not awaited.
   * Between processes it may throw: `unavailable` when nobody acknowledged it in time (it may have been stored all the
   * same), `too_large` when it does not go into a message.
   */
  publish: <Event>(topic: Topic<Event>, event: Event) => Promise<number>
  /**
   * Follows a topic until the signal aborts. `after`: a sequence, to resume behind it; `start` for all that is kept; `latest` (default) for what comes.
   * The place in the stream is taken before `subscribe` returns: nothing that anybody publishes later is missed. With
   * `latest`, what other processes published in the moments before the call may come as well.
   * A slow reader holds no events back and costs no memory: it reads from what the topic keeps, and meets a gap when that has moved on.
   */
  subscribe: <Event>(
    topic: Topic<Event>,
    options: { after?: number | 'start' | 'latest'; signal: AbortSignal },
  ) => AsyncIterable<Delivery<Event>>
  /** The sequence of a topic's newest event; where none is retained, a number below that of any later event. Throws `unavailable`. */
  lastSequence: <Event>(topic: Topic<Event>) => Promise<number>
  /**
   * Adds a job. With an id, a job that is waiting or being worked on under the same id is not added again (answers false).
   * Throws `unavailable` when too many wait, and what `publish` throws.
   */
  enqueue: <Value>(queue: Queue<Value>, value: Value, id?: string) => Promise<boolean>
  /** Works on a queue until the signal aborts, then waits for what is in hand. A handler that returns has done the job; one that throws gets it again later. */
  work: <Value>(
    queue: Queue<Value>,
    handle: (job: Job<Value>, handling: Handling) => Promise<void>,
    options: WorkOptions,
  ) => Promise<void>
  /** Jobs that failed too often, oldest first. */
  deadLetters: <Value>(queue: Queue<Value>) => Promise<DeadLetter<Value>[]>
  /**
   * Changes a value that processes share, as if nobody else did meanwhile: `make` is given the value as it is (undefined where
   * there is none) and may be called again where another change came first, so it does nothing but compute. Gives its result.
   * Between processes it may throw `unavailable`, when the change could not be stored in time, or it is not known whether it was.
   */
  update: <Value, Result>(
    shared: KeyValue<Value>,
    key: string,
    make: (value: Value | undefined) => Update<Value, Result>,
  ) => Promise<Result>
}

/** The part of the bus that a worker in a pod needs: rights on a server are given for no more than this. */
export type WorkerBus = AsyncDisposable &
  Pick<Bus, 'publish' | 'lastSequence' | 'update'> & {
    enqueue: <Value>(queue: Queue<Value>, value: Value) => Promise<unknown>
    /** `after` is a sequence, to resume behind it, or `start` for all that is kept. */
    subscribe: <Event>(
      topic: Topic<Event>,
      options: { after: number | 'start'; signal: AbortSignal },
    ) => AsyncIterable<Delivery<Event>>
  }
