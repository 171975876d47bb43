import type {
  RunConcluded,
  RunEvent,
  RunFailed,
  RunProgress,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

/**
 * Facts about a run from the events of its worker and its service. Times are milliseconds since 1970, when received.
 */
export type RunFacts = Readonly<{
  /** Grows with every event that adds a fact. */
  version: number
  started?: { worker: string; warm: boolean; at: number }
  progress?: RunProgress
  /** The worker has finished its part. */
  worked?: { at: number }
  /** The worker failed. The service decides the outcome, and may know the reason better. */
  failed?: { failure: RunFailed; at: number }
  /** The service has written and published everything. */
  concluded?: RunConcluded
  /** The caller cancelled the run. */
  cancelled?: true
}>

export type RunEventOf = NonNullable<RunEvent['event']>

export const noReports: RunFacts = Object.freeze({ version: 0 })

const learned = ({ version, ...known }: RunFacts, news: Partial<Omit<RunFacts, 'version'>>): RunFacts => ({
  ...known,
  ...news,
  version: version + 1,
})

/**
 * Applies an event. Events arrive at least once, so an event without news returns the same object. A second worker's
 * start replaces that of the first.
 */
export const learn = (facts: RunFacts, event: RunEventOf, now: number): RunFacts => {
  switch (event.$case) {
    case 'started': {
      const { worker, warm } = event.value
      return facts.started?.worker === worker ? facts : learned(facts, { started: { worker, warm, at: now } })
    }
    case 'progress':
      return facts.progress?.fraction === event.value.fraction && facts.progress.detail === event.value.detail
        ? facts
        : learned(facts, { progress: event.value })
    case 'worked':
      return facts.worked ? facts : learned(facts, { worked: { at: now } })
    case 'failed':
      return facts.failed ? facts : learned(facts, { failed: { failure: event.value, at: now } })
    case 'concluded':
      return facts.concluded ? facts : learned(facts, { concluded: event.value })
    case 'cancelled':
      return facts.cancelled ? facts : learned(facts, { cancelled: true })
  }
}
