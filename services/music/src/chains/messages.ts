import type { Chain, Decision, Generator, Node, NodeStatus } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { readPrompt } from '../generate/steering.ts'
import type { ChainRow, Decision as DecisionWord, NodeRow, Status } from '../store/tables.ts'
import { spineOf } from './spine.ts'

export const statusMessages: Record<Status, NodeStatus> = {
  generating: 'NODE_STATUS_GENERATING',
  ready: 'NODE_STATUS_READY',
  error: 'NODE_STATUS_ERROR',
}

export const decisionMessages: Record<DecisionWord, Decision> = {
  undecided: 'DECISION_UNDECIDED',
  committed: 'DECISION_COMMITTED',
  discarded: 'DECISION_DISCARDED',
}

const generatorMessages: Record<NonNullable<NodeRow['generator']>, Generator> = {
  recombine: 'GENERATOR_RECOMBINE',
  onnx: 'GENERATOR_ONNX',
  mock: 'GENERATOR_MOCK',
}

/** Rounds to a hundredth: more digits of a measured value are noise. */
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 100) / 100)

/** A node in the API's form. */
export const nodeMessage = (node: NodeRow, { sample_rate }: Pick<ChainRow, 'sample_rate'>): Node => {
  const path = `/music/api/chains/${node.chain_id}/nodes/${node.id}`
  const hasSeam = node.kind === 'continuation' && node.status === 'ready'
  return {
    nodeId: node.id,
    chainId: node.chain_id,
    parentId: node.parent_id,
    status: statusMessages[node.status],
    decision: decisionMessages[node.decision],
    kind: node.kind === 'upload' ? 'NODE_KIND_UPLOAD' : 'NODE_KIND_CONTINUATION',
    prompt: node.prompt,
    seed: node.seed,
    durationSeconds: node.frames / sample_rate,
    contextSeconds: node.context_seconds,
    generator: node.generator === null ? 'GENERATOR_UNSPECIFIED' : generatorMessages[node.generator],
    progress: node.progress,
    error: node.error,
    seam: hasSeam
      ? {
          distancePercentile: rounded(node.distance_percentile),
          loudnessStepLu: rounded(node.loudness_step_lu),
          beatErrorMs: rounded(node.beat_error_ms),
        }
      : null,
    bpm: rounded(node.bpm),
    key: node.musical_key,
    loudnessLufs: rounded(node.loudness_lufs),
    audioUrl: `${path}/audio`,
    peaksUrl: `${path}/peaks`,
    stems: null,
    createdAt: node.created_at,
    readyAt: node.ready_at,
    promptHonored: JSON.parse(node.prompt_honored) as string[],
    promptIgnored:
      node.status === 'ready' && node.generator === 'recombine' ? [...readPrompt(node.prompt).ignored] : [],
  }
}

/** A chain in the API's form; `nodes` are all its nodes. */
export const chainMessage = (chain: ChainRow, nodes: readonly NodeRow[]): Chain => {
  const root = nodes.find((node) => node.id === chain.root_node_id)
  return {
    chainId: chain.id,
    name: chain.name,
    createdAt: chain.created_at,
    updatedAt: chain.updated_at,
    sampleRate: chain.sample_rate,
    channels: chain.channels,
    rootNodeId: chain.root_node_id,
    spine: spineOf(nodes).map((node) => node.id),
    nodes: nodes.map((node) => nodeMessage(node, chain)),
    bpm: rounded(root?.bpm ?? null),
    key: root?.musical_key ?? null,
    loudnessLufs: rounded(root?.loudness_lufs ?? null),
  }
}
