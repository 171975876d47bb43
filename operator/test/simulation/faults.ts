/** The faults of a simulation. Probabilities are for each request, watch or event. */
export type Faults = {
  /** Milliseconds that a request or answer is under way, at least and at most. */
  latency: readonly [number, number]
  /** Milliseconds that an event is under way to a watch. */
  eventDelay: readonly [number, number]
  /** The connection cannot be made. */
  refused: number
  /** The request is lost under way. */
  requestLost: number
  /** The request is carried out, and its answer is lost. */
  answerLost: number
  /** The request is carried out long after its client has given up. */
  late: number
  /** 429, with Retry-After. */
  throttled: number
  /** 500. */
  serverError: number
  /** 409 for an update or patch, though nobody else wrote. */
  conflict: number
  /** 410 for a watch. */
  expired: number
  /** A watch breaks off behind an event. */
  cut: number
  /** An event comes twice. */
  duplicated: number
  /** An event comes out of its order, which no real server does within a watch. */
  reordered: number
  /** An event never comes, which no real server does; a later list shows what it told. */
  dropped: number
}

/** Nothing goes wrong, and everything takes its time. */
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

/** What a real API server does on a bad day, many times over. */
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

/** Worse than any real server: events are lost and come out of order. */
export const hostile: Faults = { ...stormy, reordered: 0.1, dropped: 0.05 }
