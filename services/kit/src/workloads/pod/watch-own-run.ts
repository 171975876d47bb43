import type { WorkerBus } from '../../bus/mod.ts'
import { type RunKind, runTopic } from '../topics.ts'
import type { Report } from '../watch.ts'

/** What others did to a run that this worker was assigned. */
export type Verdict =
  /** The run has ended with this last report: from an earlier worker, this one before a restart, or the operator. */
  | { kind: 'ended'; report: Extract<Report, { $case: 'completed' | 'failed' }> }
  /** Another worker has started the run since: this one is considered lost. */
  | { kind: 'superseded' }

/** The topic of a run, as read by the worker that does the run. */
export type OwnRun = {
  /** Resolves when the reader has reached this sequence of the topic, with the verdict up to there. */
  upTo: (sequence: number) => Promise<Verdict | undefined>
  /** Calls back at the first verdict of another worker or the operator; at most once. */
  onVerdict: (received: (verdict: Verdict) => void) => void
}

/**
 * Follows the topic of the run that a worker does, from the start until the signal aborts. The worker's own final report comes
 * last, so a final report before it is from someone else.
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
        // Earlier workers have been abandoned, so their `started` is ignored: only an end counts.
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
      // Best effort: without a verdict the run is done to its end, which wastes work but does no harm.
      read().catch(() => undefined)
    },
  }
}
