import { AudioTask } from '@trellis/protos/ts/trellis/music/v1/work.ts'
import { expect, test } from 'vitest'
import type { ChainRow, NodeRow } from '../store/tables.ts'
import { generationRun } from './job.ts'

const created_at = '2026-03-01T09:00:00.000Z'
const chain: ChainRow = {
  ...{ id: 'chain', user_id: 'ada', name: 'Evening theme', created_at, updated_at: created_at },
  ...{ sample_rate: 1_000, channels: 1, root_node_id: 'root' },
}

const nodeOf = (id: string, parent_id: string | null): NodeRow => ({
  ...{ id, chain_id: 'chain', parent_id, kind: parent_id === null ? 'upload' : 'continuation', status: 'ready' },
  ...{ decision: 'undecided', prompt: '', seed: 7, frames: 2_000, context_seconds: null, generator: 'recombine' },
  ...{ progress: 1, error: null, run_id: null, attempt: 1, started_at: null, input_key: null, created_at },
  ...{ distance_percentile: null, loudness_step_lu: null, beat_error_ms: null, bpm: null, musical_key: null },
  ...{ loudness_lufs: null, loudness_range_lu: null, silent_tail_seconds: 0, prompt_honored: '[]', ready_at: null },
})

/** The other takes that the run of a node of this tree reads. */
const otherTakesOf = (id: string, nodes: readonly NodeRow[]): readonly string[] => {
  const node = nodes.find((one) => one.id === id)
  if (!node) throw new Error(`There is no node ${id}.`)
  const { task } = AudioTask.decode(generationRun({ chain, nodes: [...nodes] }, node, { model: undefined }).input)
  return task?.$case === 'continue' ? task.value.otherTakes : []
}

test('a continuation reads the pulses of other takes of its parent, not those of other nodes', () => {
  const nodes = [
    nodeOf('root', null),
    nodeOf('first', 'root'),
    nodeOf('second', 'root'),
    nodeOf('below', 'first'),
    nodeOf('third', 'root'),
  ]
  expect(otherTakesOf('second', nodes)).toEqual(['first', 'third'])
  expect(otherTakesOf('below', nodes)).toEqual([])
})

test('a continuation reads the pulses of the latest eight other takes', () => {
  const takes = Array.from({ length: 20 }, (_, i) => `take-${i}`)
  const nodes = [nodeOf('root', null), ...takes.map((id) => nodeOf(id, 'root'))]
  expect(otherTakesOf('take-0', nodes)).toEqual(takes.slice(-8))
})
