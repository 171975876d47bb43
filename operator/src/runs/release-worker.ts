import type { Log } from '@trellis/kit/telemetry'
import type { Pod } from '../workers/mod.ts'
import { isLive, type PodState } from './pod-state.ts'
import type { Reporter } from './reporter.ts'

/**
 * Has the worker of a run that has ended end, too: until then it takes the place of another. One that does not hear of it ends
 * by itself a little later.
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
    log.debug({ err: error, pod: name }, 'a worker could not be told that nothing follows; it ends when it has waited')
  }
}
