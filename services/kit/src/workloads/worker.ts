import { toServiceError } from '../errors/mod.ts'
import { failureReport } from './failure-report.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** A run that a worker is assigned. */
export type Assignment = {
  runId: string
  /** The input: a message of the service that owns the workload. */
  input: Uint8Array
  /** Aborted when the run is cancelled or the worker must stop. */
  signal: AbortSignal
  /** Reports progress, from 0 to 1. */
  progress: (fraction: number, detail?: string) => void
  /** Publishes a partial result. */
  output: (message: Uint8Array) => void
}

/** Does one assignment and returns its result; an error that it throws becomes the failure of the run. */
export type Work = (assignment: Assignment) => Promise<Uint8Array>

const post = (message: FromWorker) => {
  process.send?.(message)
}

const perform = async (work: Work, { runId, input }: Extract<ToWorker, { kind: 'work' }>, signal: AbortSignal) => {
  try {
    const result = await work({
      runId,
      input,
      signal,
      progress: (fraction, detail = '') => post({ kind: 'progress', runId, fraction, detail }),
      output: (message) => post({ kind: 'output', runId, message }),
    })
    post({ kind: 'completed', runId, result })
  } catch (error) {
    const failed = toServiceError(error, 'run')
    const report = failureReport(error, failed)
    post({
      kind: 'failed',
      runId,
      failure: signal.aborted ? { ...report, reason: 'Cancelled' } : report,
      // An error after the cancellation is not a bug, so its stack is not logged.
      ...(failed.kind === 'internal' && !signal.aborted
        ? { trace: error instanceof Error ? (error.stack ?? error.message) : String(error) }
        : {}),
    })
  }
}

/**
 * Runs this process as a worker of a local pool: it reports that it is ready, does one assigned run at a time,
 * and exits when its parent does. A worker's main module calls this and nothing else.
 */
export const serveWork = (work: Work): void => {
  let current: { runId: string; controller: AbortController } | undefined
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'cancel') {
      if (current?.runId === message.runId) current.controller.abort(new Error('The run was cancelled.'))
      return
    }
    const controller = new AbortController()
    current = { runId: message.runId, controller }
    void perform(work, message, controller.signal).finally(() => {
      current = undefined
    })
  })
  process.on('disconnect', () => process.exit(0))
  // Signals to the whole process group, such as Ctrl-C, are the parent's to handle: it ends its workers when it has drained.
  process.on('SIGINT', () => undefined)
  post({ kind: 'ready' })
}
