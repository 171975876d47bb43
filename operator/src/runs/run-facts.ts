import type {
  RunConcluded,
  RunEvent,
  RunFailed,
  RunProgress,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

/** What has been told of a run so far, from the worker and from the service. Times are milliseconds since 1970, as heard. */
export type RunFacts = Readonly<{
  /** Grows with every notice that says something new. */
  version: number
  started?: { worker: string; warm: boolean; at: number }
  progress?: RunProgress
  /** The worker has done its part. */
  worked?: { at: number }
  /** The worker could not do it. The service has the last word, and may know better why. */
  failed?: { failure: RunFailed; at: number }
  /** The service has written and told everything. */
  concluded?: RunConcluded
  /** Somebody asked for its end. */
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
 * What is known once a notice was heard. Notices come at least once, so that what is known already gives the very same
 * facts back. A second worker's start takes the place of the first one's.
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
