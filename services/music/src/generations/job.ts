import { jsonCodec, queue } from '@trellis/kit/bus'
import type { GenerationSubject, RunRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import type { ChainTree } from '../chains/access.ts'
import { pathTo } from '../chains/spine.ts'
import type { MusicConfig } from '../config.ts'
import type { NodeJob } from '../jobs/drive-jobs.ts'
import type { NodeRow } from '../store/tables.ts'
import { runRequest, type TaskRun } from '../worker/run-task.ts'

/** Time limit of a generation, on any runtime, in seconds. */
export const DEADLINE_SECONDS = 3_600

/** Generations in progress, each driven by one replica and redelivered to another if that dies. Their queue ids are their run ids. */
export const generationQueue = queue({
  name: 'music.generations',
  ...jsonCodec<NodeJob>(),
  acknowledgeWithinMilliseconds: 15_000,
  maxDeliveries: 5,
})

/** Other continuations whose stored pulses a run reads at most. */
const mostOtherTakes = 8

/** The latest other continuations of a node's parent: they have most likely analysed the same context. */
const otherTakes = (nodes: readonly NodeRow[], { id, parent_id }: NodeRow): string[] =>
  nodes
    .filter((other) => other.parent_id === parent_id && other.id !== id)
    .slice(-mostOtherTakes)
    .map((other) => other.id)

const taskOf = ({ chain, nodes }: ChainTree, node: NodeRow, model: string | undefined): TaskRun['task'] => ({
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
    model: node.generator === 'onnx' ? (model ?? null) : null,
    parentBpm: nodes.find((parent) => parent.id === node.parent_id)?.bpm ?? null,
    otherTakes: otherTakes(nodes, node),
    input:
      node.input_key === null ? null : { key: node.input_key, sampleRate: chain.sample_rate, channels: chain.channels },
  },
})

/** Continuations have 1 to 60 s, rounded to the nearest sample; rounding never makes one shorter. */
const secondsOf = (frames: number, sampleRate: number): number => Math.min(60, Math.max(1, frames / sampleRate))

/** What is displayed for the run of a node. */
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

/** The run of a node that is being generated, by the model of a folder if it is a model's. It is deterministic, so requesting it again is idempotent. */
export const generationRun = (tree: ChainTree, node: NodeRow, { model }: Pick<MusicConfig, 'model'>): RunRequest =>
  runRequest({
    subject: subjectOf(tree, node),
    runId: node.run_id ?? '',
    task: taskOf(tree, node, model),
    deadlineSeconds: DEADLINE_SECONDS,
    user: tree.chain.user_id,
  })
