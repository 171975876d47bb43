import type { Chain, Decision, Generator, Node, NodeStatus, Stems } from '@trellis/protos/ts/trellis/music/v1/music.ts'
import { ignoredWords } from '../generate/prompt-words.ts'
import { stemNames } from '../stems/stem-names.ts'
import type { ChainRow, Decision as DecisionWord, NodeRow, Status, StemsRow } from '../store/tables.ts'
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

const pathOf = (base: string, chainId: string, nodeId: string): string =>
  `${base}/music/api/chains/${chainId}/nodes/${nodeId}`

/** The stems of a node in the API's form; undefined if none have been requested. URLs begin with `base`. */
export const stemsMessage = (stems: StemsRow | undefined, base: string): Stems => {
  if (!stems) return { status: 'none', method: null, progress: 0, error: null, stems: [] }
  const { status, method, progress, error } = stems
  const shares = JSON.parse(stems.energy_shares) as number[]
  const path = `${pathOf(base, stems.chain_id, stems.node_id)}/stems`
  return {
    status,
    method,
    progress,
    error,
    stems:
      status === 'ready'
        ? stemNames.map((name, index) => ({ name, url: `${path}/${name}`, energyShare: shares[index] ?? 0 }))
        : [],
  }
}

/** What became of the words of a node's prompt. */
const promptWords = ({ prompt, prompt_honored, status }: NodeRow) => {
  const promptHonored = JSON.parse(prompt_honored) as string[]
  if (status !== 'ready') return { promptHonored, promptIgnored: [] }
  return { promptHonored, promptIgnored: ignoredWords(prompt, promptHonored) }
}

/** A node in the API's form. URLs begin with `base`. */
export const nodeMessage = (
  node: NodeRow,
  { sample_rate }: Pick<ChainRow, 'sample_rate'>,
  base: string,
  stems?: StemsRow,
): Node => {
  const path = pathOf(base, node.chain_id, node.id)
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
    loudnessRangeLu: rounded(node.loudness_range_lu),
    audioUrl: `${path}/audio`,
    peaksUrl: `${path}/peaks`,
    stems: stems ? stemsMessage(stems, base) : null,
    createdAt: node.created_at,
    readyAt: node.ready_at,
    ...promptWords(node),
  }
}

/** A chain in the API's form; `nodes` are all its nodes, `stems` those of any chains. URLs begin with `base`. */
export const chainMessage = (
  chain: ChainRow,
  nodes: readonly NodeRow[],
  stems: readonly StemsRow[],
  base: string,
): Chain => {
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
    nodes: nodes.map((node) =>
      nodeMessage(
        node,
        chain,
        base,
        stems.find(({ node_id }) => node_id === node.id),
      ),
    ),
    bpm: rounded(root?.bpm ?? null),
    key: root?.musical_key ?? null,
    loudnessLufs: rounded(root?.loudness_lufs ?? null),
  }
}
