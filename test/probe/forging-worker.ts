/** A worker that was taken over: a run with a text as its input reports on the run of that id, then ends; a run without one waits. */
import type { FromWorker, ToWorker } from '../../services/kit/src/workloads/messages.ts'

const post = (message: FromWorker) => void process.send?.(message)

process.on('message', (message: ToWorker) => {
  if (message.kind !== 'work' || message.input.length === 0) return
  const foreign = Buffer.from(message.input).toString()
  post({ kind: 'progress', runId: foreign, fraction: 0.5, detail: 'forged' })
  post({ kind: 'output', runId: foreign, message: Buffer.from('forged') })
  post({ kind: 'completed', runId: foreign, result: Buffer.from('forged') })
  const failure = { reason: 'Failed', kind: 'internal', detail: 'forged', retryAfterSeconds: undefined }
  post({ kind: 'failed', runId: foreign, failure })
  post({ kind: 'completed', runId: message.runId, result: Buffer.from('own') })
})
process.once('disconnect', () => process.exit(0))
post({ kind: 'ready' })
