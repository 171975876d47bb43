/** What the probe's worker can be told to do. */
export type ProbeTask =
  | { do: 'work'; steps: number }
  | { do: 'pace'; steps: number; milliseconds: number }
  | { do: 'fail'; kind: string; detail: string; retryAfterSeconds?: number }
  | { do: 'exit'; code: number }
  | { do: 'kill' }
  | { do: 'exhaust' }
  | { do: 'exhaust-outside-heap'; megabytes: number }
  /** In a process that the worker starts, whose id is the output. */
  | { do: 'exhaust-in-child'; megabytes: number }
  | { do: 'wait' }
  /** Fails by a fault of its own once it is cancelled. */
  | { do: 'fail-when-cancelled' }
  | { do: 'throw'; message: string }
  | { do: 'environment' }
