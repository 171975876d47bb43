import type {
  DiagnoseEntriesRest,
  DiagnoseReasoningRest,
  DiagnoseStatusRest,
  DiagnoseSummaryRest,
} from '@trellis/protos/edge/client.ts'
import type { RequestOf } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { follow, type Stream } from '../../api/stream.ts'

type Body = RequestOf<'POST /logs/api/diagnose/stream'>['body']

/** A diagnosis that fills as its frames arrive. */
export const createDiagnosis = () => {
  let stages = $state.raw<readonly DiagnoseStatusRest[]>([])
  let summary = $state.raw<DiagnoseSummaryRest | undefined>(undefined)
  let layers = $state.raw<readonly DiagnoseEntriesRest[]>([])
  let reasoning = $state.raw<DiagnoseReasoningRest | undefined>(undefined)
  let failed = $state<string | undefined>(undefined)
  let failure = $state.raw<Failure | undefined>(undefined)
  let tookMilliseconds = $state<number | undefined>(undefined)
  let isRunning = $state(false)
  let stream: Stream | undefined

  const stop = (): void => {
    stream?.close()
    isRunning = false
  }
  return {
    get stages() {
      return stages
    },
    get summary() {
      return summary
    },
    get layers() {
      return layers
    },
    /** How the summary came about, with the causes and the timeline. */
    get reasoning() {
      return reasoning
    },
    /** Why the diagnosis ended without a result. */
    get failed() {
      return failed
    },
    get failure() {
      return failure
    },
    get tookMilliseconds() {
      return tookMilliseconds
    },
    get isRunning() {
      return isRunning
    },
    stop,
    start: (body: Body): void => {
      stop()
      stages = []
      summary = undefined
      layers = []
      reasoning = undefined
      failed = undefined
      failure = undefined
      tookMilliseconds = undefined
      isRunning = true
      stream = follow(
        'POST /logs/api/diagnose/stream',
        { body },
        {
          resumes: false,
          endsWith: ['done'],
          on: {
            status: (status) => (stages = [...stages, status]),
            summary: (next) => (summary = next),
            entries: (layer) => {
              if (layer.entries.length > 0) layers = [...layers.filter((other) => other.layer !== layer.layer), layer]
            },
            reasoning: (next) => (reasoning = next),
            failed: (next) => (failed = next.detail),
            done: (next) => (tookMilliseconds = next.took_ms),
          },
          onState: (state) => {
            if (state.kind === 'failed') failure = state.failure
            if (state.kind === 'ended' || state.kind === 'failed') isRunning = false
          },
        },
      )
    },
  }
}
