import type { Bus } from '@trellis/kit/bus'
import { ServiceError, serviceError } from '@trellis/kit/errors'
import type { RpcClient } from '@trellis/kit/rpc'
import { errorOfRun, watchRun } from '@trellis/kit/workloads'
import { AudioResult, AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import type {
  GenerationSubject,
  RunRequest,
  WorkloadsServiceDefinition,
} from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'

export type WorkloadsClient = RpcClient<typeof WorkloadsServiceDefinition>

/** Runs tasks. */
export type TaskRunner = {
  readonly bus: Bus
  readonly workloads: WorkloadsClient
}

export type TaskRun = {
  /** [a-z0-9-], at most 60 characters. */
  readonly runId: string
  readonly task: NonNullable<AudioTask['task']>
  readonly deadlineSeconds: number
  readonly user: string
  /** What is displayed for a run that is an object. */
  readonly subject?: GenerationSubject
}

/** The request to the workloads service for a task. */
export const runRequest = ({ runId, task, deadlineSeconds, user, subject }: TaskRun): RunRequest => ({
  isKnown: false,
  search: null,
  generation: subject ?? null,
  runId,
  workload: 'WORKLOAD_GENERATION',
  input: AudioTask.encode({ task }).finish(),
  activeDeadlineSeconds: deadlineSeconds,
  user,
})

/** Cancelled work whose worker has not reported its end: it may still write files. */
export class StillRunning extends ServiceError {
  override name = 'StillRunning'

  constructor() {
    super('conflict', 'The work was cancelled.')
  }
}

/** Time in which a cancelled worker ends, or is killed. */
const cancelledWithinMilliseconds = 20_000

/** Cancels a run and waits until it has ended, so that its worker writes nothing more; false if that is not certain. */
export const endRun = async (
  { bus, workloads }: TaskRunner,
  runId: string,
  signal: AbortSignal = AbortSignal.timeout(cancelledWithinMilliseconds),
): Promise<boolean> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(cancelledWithinMilliseconds)])
  const reports = watchRun(bus, { kind: 'generation', runId }, limited)
  await workloads.cancel({ runId })
  for await (const report of reports) if (report.$case === 'completed' || report.$case === 'failed') return true
  return false
}

/**
 * Runs a task to its end and returns its result, or throws its failure. When the signal aborts, cancels the run and waits for its
 * end. `onProgress` receives the share that is done.
 */
export const runTask = async (
  { bus, workloads }: TaskRunner,
  run: TaskRun,
  signal: AbortSignal,
  onProgress: (share: number) => Promise<void> = async () => undefined,
): Promise<AudioResult> => {
  const reports = watchRun(bus, { kind: 'generation', runId: run.runId }, signal)
  await workloads.run(runRequest(run))
  for await (const report of reports) {
    if (report.$case === 'completed') return AudioResult.decode(report.value.result)
    if (report.$case === 'failed') throw errorOfRun(report.value)
    if (report.$case === 'progress') await onProgress(report.value.fraction)
  }
  const hasEnded = await endRun({ bus, workloads }, run.runId)
  throw hasEnded ? serviceError('conflict', 'The work was cancelled.', { cause: signal.reason }) : new StillRunning()
}
