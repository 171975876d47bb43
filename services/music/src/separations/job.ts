import { jsonCodec, queue } from '@trellis/kit/bus'
import type { NodeJob } from '../jobs/drive-jobs.ts'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import type { TaskRun } from '../worker/run-task.ts'

/**
 * Separations, each run by one replica on its own machine, and by another if that dies. Their queue ids are the run ids of the
 * stems.
 */
export const separationQueue = queue({
  name: 'music.separations',
  ...jsonCodec<NodeJob>(),
  acknowledgeWithinMilliseconds: 15_000,
  maxDeliveries: 5,
})

/** Time limit of a separation in seconds: several times what a slow core needs for this length. */
export const separationSeconds = (seconds: number): number => Math.ceil(600 + 4 * seconds)

/** One attempt at a job, which writes into a folder of its own. */
export const separationRun = (
  { chain, node }: { chain: ChainRow; node: NodeRow },
  { runId, folder, model }: { runId: string; folder: string; model: string | undefined },
): TaskRun => ({
  runId,
  task: {
    $case: 'separate',
    value: {
      piece: { nodeId: node.id, sampleRate: chain.sample_rate, channels: chain.channels, key: null },
      folder,
      model: model ?? null,
    },
  },
  deadlineSeconds: separationSeconds(node.frames / chain.sample_rate),
  user: chain.user_id,
})
