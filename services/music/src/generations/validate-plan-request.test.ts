import type { GenerationSubject, PlanRequest } from '@trellis/protos/ts/trellis/workloads/v1/workloads.ts'
import { expect, test } from 'vitest'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { validatePlanRequest } from './validate-plan-request.ts'

const chain: ChainRow = {
  id: 'chain',
  user_id: 'ada',
  name: 'Evening theme',
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
  sample_rate: 1_000,
  channels: 1,
  root_node_id: 'root',
}

const nodeOf = (change: Partial<NodeRow>): NodeRow => ({
  id: 'node',
  chain_id: 'chain',
  parent_id: 'root',
  kind: 'continuation',
  status: 'ready',
  decision: 'undecided',
  prompt: 'calm',
  seed: 7,
  frames: 2_000,
  context_seconds: null,
  generator: 'recombine',
  progress: 1,
  error: null,
  run_id: 'generate-node-1',
  attempt: 1,
  started_at: null,
  input_key: null,
  distance_percentile: null,
  loudness_step_lu: null,
  beat_error_ms: null,
  bpm: null,
  musical_key: null,
  loudness_lufs: null,
  loudness_range_lu: null,
  silent_tail_seconds: 0,
  prompt_honored: '[]',
  created_at: '2026-03-01T09:00:00.000Z',
  ready_at: null,
  ...change,
})

const root = nodeOf({ id: 'root', parent_id: null, kind: 'upload', run_id: null })

type Case = {
  node?: Partial<NodeRow>
  subject?: Partial<GenerationSubject>
  user?: string
  rootStatus?: NodeRow['status']
}

const judge = ({ node = {}, subject = {}, user = '', rootStatus = 'ready' }: Case) => {
  const generation = { chainId: 'chain', nodeId: 'node', durationSeconds: 2, generator: 'auto', ...subject }
  const planRequest: PlanRequest = { runId: 'run', user, activeDeadlineSeconds: 60, search: null, generation }
  const nodes = [{ ...root, status: rootStatus }, nodeOf(node)]
  const model = { available: false, reason: 'No model is installed here.' } as const
  return validatePlanRequest(planRequest, { chain, nodes }, { mockGenerator: false, model })
}

const error = { status: 'error', error: 'It was lost.' } as const
const samples = (id: string) => `music/nodes/${id}/samples.s24le`

test.each<[string, Case]>([
  ['nothing else', {}],
  ['the same prompt and seed', { subject: { prompt: 'calm', seed: 7 } }],
  ['the generator that it was made by', { subject: { generator: 'recombine' } }],
  ['no length of its own', { subject: { durationSeconds: 0 } }],
  ['the same as the user of the chain', { user: 'ada' }],
])('a ready node satisfies a plan request for %s', (_what, planRequest) => {
  expect(judge(planRequest).kind).toBe('done')
})

test.each<[string, Case]>([
  ['another prompt', { subject: { prompt: 'energetic' } }],
  ['another seed', { subject: { seed: 8 } }],
  ['another length', { subject: { durationSeconds: 3 } }],
  ['another generator', { subject: { generator: 'mock' } }],
  ['other audio to continue', { subject: { inputKey: 'music/inputs/song.wav' } }],
])('a ready node conflicts with a plan request for %s', (_what, planRequest) => {
  expect(judge(planRequest)).toMatchObject({ kind: 'refuse', failure: { kind: 'conflict' } })
})

test.each<[string, Case, string]>([
  ['a missing node', { subject: { nodeId: 'other' } }, 'NodeNotFound'],
  ["another user's chain", { user: 'bob' }, 'NodeNotFound'],
  ['the upload', { subject: { nodeId: 'root' } }, 'NodeNotFound'],
  ['a model that is not installed', { node: error, subject: { generator: 'onnx' } }, 'Failed'],
  ['a node whose parent is not ready', { node: error, rootStatus: 'generating' }, 'Failed'],
  ['the samples of another chain', { node: error, subject: { inputKey: samples('elsewhere') } }, 'Failed'],
  [
    'an export of another chain',
    { node: error, subject: { inputKey: 'music/delivery/other/digest/audio.wav' } },
    'Failed',
  ],
  [
    'an export of its own chain',
    { node: error, subject: { inputKey: 'music/delivery/chain/digest/audio.wav' } },
    'Failed',
  ],
  ['the upload of another chain', { node: error, subject: { inputKey: 'music/nodes/other/upload' } }, 'Failed'],
  ['a file of another service', { node: error, subject: { inputKey: 'logs/segments/1' } }, 'Failed'],
  ['a file beside the inputs', { node: error, subject: { inputKey: 'music/inputs-of-others/a.wav' } }, 'Failed'],
  ['the samples of a node that is not ready', { node: error, subject: { inputKey: samples('node') } }, 'Failed'],
])('a plan request for %s is refused', (_what, planRequest, reason) => {
  expect(judge(planRequest)).toMatchObject({ kind: 'refuse', failure: { reason } })
})

test('a plan request is not executed again if its own run has failed', () => {
  expect(judge({ node: { ...error, run_id: 'run' } })).toMatchObject({
    kind: 'refuse',
    failure: { detail: 'It was lost.' },
  })
})

test('a generating node is driven by its own plan request, and awaited by others', () => {
  expect(judge({ node: { status: 'generating', run_id: 'run' } }).kind).toBe('drive')
  expect(judge({ node: { status: 'generating' } }).kind).toBe('wait')
})

test('a failed node is generated again, with parameters of the plan request overriding its own', () => {
  const subject = { seed: 9, durationSeconds: 3, contextSeconds: 0, inputKey: samples('root') }
  expect(judge({ node: error, subject })).toMatchObject({
    kind: 'generate',
    requested: { prompt: undefined, seed: 9, frames: 3_000, contextSeconds: null, inputKey: samples('root') },
  })
})

test('audio among the inputs may be continued', () => {
  const subject = { inputKey: 'music/inputs/song.wav' }
  expect(judge({ node: error, subject })).toMatchObject({ kind: 'generate', requested: subject })
})
