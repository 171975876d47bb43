import type { KeyValue, Update } from './key-value.ts'
import type { Queue } from './queue.ts'
import type { Topic } from './topic.ts'

/**
 * What a topic delivers to a reader: its events in order, each once, or a gap where events are no longer available.
 * Sequences increase within a topic, are never reused, and may skip numbers.
 */
export type Delivery<Event> =
  | { kind: 'event'; sequence: number; event: Event }
  /** Events were dropped before this reader reached them; `missed` is their number, or null where it is unknown. */
  | { kind: 'gap'; missed: number | null }

/** `delivery` counts deliveries from 1; those that a stopping worker released unfinished do not count. */
export type Job<Value> = { value: Value; delivery: number }

export type Handling = {
  /** Aborted when the worker stops or when its lease on the job expires. */
  signal: AbortSignal
  /** Renews the lease on the job. */
  working: () => void
}

export type WorkOptions = { concurrency?: number; signal: AbortSignal }

export type DeadLetter<Value> = { value: Value; deliveries: number; reason: string }

/** Topics, work queues and shared values, between processes or embedded in one. */
export type Bus = AsyncDisposable & {
  /**
   * Adds an event and returns its sequence. Events of one topic are stored in the order of the calls, also when these are not awaited.
   * Between processes it may throw: `unavailable` when no acknowledgement arrived in time (the event may be stored
   * nevertheless), `too_large` when the event does not fit into a message.
   */
  publish: <Event>(topic: Topic<Event>, event: Event) => Promise<number>
  /**
   * Follows a topic until the signal aborts. `after`: a sequence, to resume behind it; `start`, for all retained events; or `latest` (default).
   * The cursor is set before `subscribe` returns, so that no event published later is missed. With `latest`, events that
   * other processes published in the moments before the call may be delivered as well.
   * A slow reader blocks no publisher and costs no memory: it reads from the retained events, and gets a gap once they have moved past its cursor.
   */
  subscribe: <Event>(
    topic: Topic<Event>,
    options: { after?: number | 'start' | 'latest'; signal: AbortSignal },
  ) => AsyncIterable<Delivery<Event>>
  /** The sequence of a topic's newest event; when none is retained, a number below that of any later event. Throws `unavailable`. */
  lastSequence: <Event>(topic: Topic<Event>) => Promise<number>
  /**
   * Adds a job. Returns false, without adding it, when a job with the same id is waiting or in progress.
   * Throws `unavailable` when too many jobs wait, and what `publish` throws.
   */
  enqueue: <Value>(queue: Queue<Value>, value: Value, id?: string) => Promise<boolean>
  /** Works on a queue until the signal aborts, then waits for jobs in progress. A job whose handler throws is delivered again after the back-off. */
  work: <Value>(
    queue: Queue<Value>,
    handle: (job: Job<Value>, handling: Handling) => Promise<void>,
    options: WorkOptions,
  ) => Promise<void>
  /** Jobs that used up their deliveries, oldest first. */
  deadLetters: <Value>(queue: Queue<Value>) => Promise<DeadLetter<Value>[]>
  /**
   * Changes a shared value atomically and returns the result of `make`. `make` receives the current value (undefined when there is
   * none) and must be pure: it is called again when another change was stored first.
   * Between processes it may throw `unavailable` when the change could not be stored in time, or it is unknown whether it was.
   */
  update: <Value, Result>(
    shared: KeyValue<Value>,
    key: string,
    make: (value: Value | undefined) => Update<Value, Result>,
  ) => Promise<Result>
}

/** The part of the bus that a worker in a pod needs; its permissions on the server cover no more. */
export type WorkerBus = AsyncDisposable &
  Pick<Bus, 'publish' | 'lastSequence' | 'update'> & {
    enqueue: <Value>(queue: Queue<Value>, value: Value) => Promise<unknown>
    /** `after` is a sequence, to resume behind it, or `start` for all retained events. */
    subscribe: <Event>(
      topic: Topic<Event>,
      options: { after: number | 'start'; signal: AbortSignal },
    ) => AsyncIterable<Delivery<Event>>
  }
