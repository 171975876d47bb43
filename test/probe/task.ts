/** A task for the probe's worker. */
export type ProbeTask =
  | { do: 'work'; steps: number }
  | { do: 'pace'; steps: number; milliseconds: number }
  | { do: 'fail'; kind: string; detail: string; retryAfterSeconds?: number }
  | { do: 'exit'; code: number }
  | { do: 'kill' }
  | { do: 'exhaust' }
  | { do: 'exhaust-outside-heap'; megabytes: number }
  /** Exhausts memory in a child process of the worker, whose pid is the output. */
  | { do: 'exhaust-in-child'; megabytes: number }
  | { do: 'wait' }
  /** Fails with an unrelated error once it is cancelled. */
  | { do: 'fail-when-cancelled' }
  | { do: 'throw'; message: string }
  | { do: 'environment' }
