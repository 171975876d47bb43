import type { WorkerBus } from '../../bus/mod.ts'
import { type RunKind, runTopic } from '../topics.ts'
import type { Report } from '../watch.ts'

/** What others have made of a run that this worker was given. */
export type Verdict =
  /** It has ended: by whoever did it before this worker was started anew, or by the operator, with this last report. */
  | { kind: 'ended'; report: Extract<Report, { $case: 'completed' | 'failed' }> }
  /** Another worker has begun it since: this one is thought to be lost. */
  | { kind: 'superseded' }

/** A run's topic, as the worker reads it that has the run in hand. */
export type OwnRun = {
  /** Resolves, to what had become of the run before, when the reading has come to this place in the topic. */
  upTo: (sequence: number) => Promise<Verdict | undefined>
  /** Calls back when somebody else speaks of the run; at most once. */
  onVerdict: (received: (verdict: Verdict) => void) => void
}

/**
 * Follows the topic of the run that a worker has in hand, from the start until the signal. What the worker itself says of
 * the end it says last, so a last report that is met before that is another's.
 */
export const watchOwnRun = (
  bus: WorkerBus,
  { kind, runId, worker, signal }: { kind: RunKind; runId: string; worker: string; signal: AbortSignal },
): OwnRun => {
  const deliveries = bus.subscribe(runTopic[kind](runId), { after: 'start', signal })[Symbol.asyncIterator]()
  const verdictIn = (report: Report | null | undefined): Verdict | undefined => {
    if (report?.$case === 'completed' || report?.$case === 'failed') return { kind: 'ended', report }
    return report?.$case === 'started' && report.value.worker !== worker ? { kind: 'superseded' } : undefined
  }
  return {
    upTo: async (sequence) => {
      for (let verdict: Verdict | undefined; ; ) {
        const next = await deliveries.next()
        if (next.done) return verdict
        if (next.value.kind === 'gap') continue
        const received = verdictIn(next.value.event.report)
        // Whoever began it before has been given up: only that it ended counts.
        if (received?.kind === 'ended') verdict ??= received
        if (next.value.sequence >= sequence) return verdict
      }
    },
    onVerdict: (received) => {
      const read = async () => {
        for (;;) {
          const next = await deliveries.next()
          if (next.done) return
          const verdict = next.value.kind === 'event' ? verdictIn(next.value.event.report) : undefined
          if (verdict) return received(verdict)
        }
      }
      // Not heard, the run is done to its end: that costs work and spoils nothing.
      read().catch(() => undefined)
    },
  }
}
