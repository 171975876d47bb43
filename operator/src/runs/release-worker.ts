import type { Log } from '@trellis/kit/telemetry'
import type { Pod } from '../workers/mod.ts'
import { isLive, type PodState } from './pod-state.ts'
import type { Reporter } from './reporter.ts'

/**
 * Lets the worker of a finished run exit, since it occupies capacity until then. A worker that misses the message
 * exits by itself a little later.
 */
export const releaseWorker = async (
  { reporter, log }: { reporter: Reporter; log: Log },
  { pod, state }: { pod: Pod; state: PodState },
): Promise<void> => {
  if (!isLive(state)) return
  const { uid, name } = pod.metadata
  try {
    await reporter.release(uid)
  } catch (error) {
    log.debug({ err: error, pod: name }, 'a worker could not be released; it exits after its own timeout')
  }
}
