/** What the probe's worker can be told to do. */
export type ProbeTask =
  | { do: 'work'; steps: number }
  | { do: 'pace'; steps: number; milliseconds: number }
  | { do: 'fail'; kind: string; detail: string; retryAfterSeconds?: number }
  | { do: 'exit'; code: number }
  | { do: 'kill' }
  | { do: 'exhaust' }
  | { do: 'exhaust-outside-heap'; megabytes: number }
  | { do: 'wait' }
  | { do: 'environment' }
