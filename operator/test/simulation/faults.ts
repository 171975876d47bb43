/** The faults of a simulation. Probabilities are for each request, watch or event. */
export type Faults = {
  /** Milliseconds that a request or answer takes: minimum and maximum. */
  latency: readonly [number, number]
  /** Milliseconds that an event takes to reach a watch: minimum and maximum. */
  eventDelay: readonly [number, number]
  /** The connection cannot be made. */
  refused: number
  /** The request is lost in transit. */
  requestLost: number
  /** The request is executed, and its answer is lost. */
  answerLost: number
  /** The request is executed long after its client has timed out. */
  late: number
  /** 429, with Retry-After. */
  throttled: number
  /** 500. */
  serverError: number
  /** 409 for an update or patch without a concurrent write. */
  conflict: number
  /** 410 for a watch. */
  expired: number
  /** A watch is cut after an event. */
  cut: number
  /** An event is delivered twice. */
  duplicated: number
  /** An event is delivered out of order, which no real server does within a watch. */
  reordered: number
  /** An event is never delivered, which no real server does; a later list shows its change. */
  dropped: number
}

/** No faults, only delays. */
export const calm: Faults = {
  latency: [1, 5],
  eventDelay: [1, 10],
  refused: 0,
  requestLost: 0,
  answerLost: 0,
  late: 0,
  throttled: 0,
  serverError: 0,
  conflict: 0,
  expired: 0,
  cut: 0,
  duplicated: 0,
  reordered: 0,
  dropped: 0,
}

/** Faults of a real API server, far more frequent than in practice. */
export const stormy: Faults = {
  ...calm,
  latency: [1, 300],
  eventDelay: [1, 3_000],
  refused: 0.03,
  requestLost: 0.03,
  answerLost: 0.05,
  late: 0.03,
  throttled: 0.03,
  serverError: 0.03,
  conflict: 0.03,
  expired: 0.1,
  cut: 0.05,
  duplicated: 0.05,
}

/** Worse than any real server: events are lost and reordered. */
export const hostile: Faults = { ...stormy, reordered: 0.1, dropped: 0.05 }
