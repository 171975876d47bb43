import { jsonCodec, queue } from '@trellis/kit/bus'
import type { GenerationSubject, RunRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ChainTree } from '../chains/access.ts'
import { pathTo } from '../chains/spine.ts'
import type { NodeRow } from '../store/tables.ts'
import { runRequest, type TaskRun } from '../worker/run-task.ts'

/** A generation may take this long, wherever it runs. */
export const DEADLINE_SECONDS = 3_600

/** A run that is to be followed to its end, and the node that the end is written to. */
export interface GenerationOrder {
  readonly nodeId: string
  readonly runId: string
}

/** Generations under way, each driven by one replica; it goes to another when that dies. Their ids in the queue are those of their runs. */
export const generationOrders = queue({
  name: 'music.generations',
  ...jsonCodec<GenerationOrder>(),
  acknowledgeWithinMilliseconds: 15_000,
  maxDeliveries: 5,
})

const taskOf = ({ chain, nodes }: ChainTree, node: NodeRow): TaskRun['task'] => ({
  $case: 'continue',
  value: {
    nodeId: node.id,
    path: pathTo(nodes, node.parent_id ?? '').map((piece) => ({
      nodeId: piece.id,
      sampleRate: chain.sample_rate,
      channels: chain.channels,
    })),
    frames: node.frames,
    contextFrames: node.context_seconds === null ? 0 : Math.round(node.context_seconds * chain.sample_rate),
    prompt: node.prompt,
    seed: node.seed ?? 0,
    generator: node.generator ?? 'recombine',
    parentBpm: nodes.find((parent) => parent.id === node.parent_id)?.bpm ?? null,
    input:
      node.input_key === null ? null : { key: node.input_key, sampleRate: chain.sample_rate, channels: chain.channels },
  },
})

/** Continuations are of 1 to 60 s, to the nearest sample: rounding makes none shorter. */
const secondsOf = (frames: number, sampleRate: number): number => Math.min(60, Math.max(1, frames / sampleRate))

/** What people are shown of the run of a node. */
const subjectOf = ({ chain }: ChainTree, node: NodeRow): GenerationSubject => ({
  chainId: chain.id,
  nodeId: node.id,
  inputKey: node.input_key,
  prompt: node.prompt === '' ? null : node.prompt,
  seed: node.seed,
  durationSeconds: secondsOf(node.frames, chain.sample_rate),
  contextSeconds: node.context_seconds,
  generator: node.generator ?? 'auto',
})

/** The run of a node that is being generated: the same each time it is asked for, so it may be asked for again. */
export const generationRun = (tree: ChainTree, node: NodeRow): RunRequest =>
  runRequest({
    subject: subjectOf(tree, node),
    runId: node.run_id ?? '',
    task: taskOf(tree, node),
    deadlineSeconds: DEADLINE_SECONDS,
    user: tree.chain.user_id,
  })
