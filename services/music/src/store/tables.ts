import type { Kysely, Transaction } from 'kysely'

/** Times are ISO 8601 text; unknown values are `null`. */
export type ChainRow = {
  id: string
  user_id: string
  name: string
  created_at: string
  updated_at: string
  sample_rate: number
  channels: number
  root_node_id: string
}

export type Status = 'generating' | 'ready' | 'error'
export type Decision = 'undecided' | 'committed' | 'discarded'

export type NodeRow = {
  id: string
  chain_id: string
  parent_id: string | null
  kind: 'upload' | 'continuation'
  status: Status
  decision: Decision
  prompt: string
  seed: number | null
  /** Length in samples: the requested one, which a ready node has exactly. */
  frames: number
  context_seconds: number | null
  generator: 'recombine' | 'onnx' | 'mock' | null
  progress: number
  error: string | null
  /** The run that generates it, and the ordinal of that run. */
  run_id: string | null
  attempt: number
  /** When a worker took that run; null until then. */
  started_at: string | null
  /** Key of an audio file that it continues instead of its path; null for the path. */
  input_key: string | null
  distance_percentile: number | null
  loudness_step_lu: number | null
  beat_error_ms: number | null
  bpm: number | null
  musical_key: string | null
  loudness_lufs: number | null
  /** Null for silence, below 3 s, and for nodes that were stored before it was measured. */
  loudness_range_lu: number | null
  silent_tail_seconds: number
  /** A JSON list of words. */
  prompt_honored: string
  created_at: string
  ready_at: string | null
}

/** A node or chain whose files may exist without a row of theirs; `noted_at` in ms. */
export type LeftoverRow = { owner_id: string; noted_at: number }

/** A leased slot; `expires_at` in ms. */
export type LeaseRow = { id: string; user_id: string; expires_at: number }

/** The stems of a node, from the request for them on. */
export type StemsRow = {
  node_id: string
  chain_id: string
  status: Status
  /** The run that makes them. */
  run_id: string
  progress: number
  /** How they are made; null until it is known. */
  method: 'blind' | 'model' | null
  error: string | null
  /** The folder of their files; null until a driver has chosen one, which every attempt does again. */
  folder: string | null
  /** A JSON list: the share of each stem in the energy of all, in the order of their names. */
  energy_shares: string
  created_at: string
  ready_at: string | null
}

export type MusicTables = {
  chains: ChainRow
  nodes: NodeRow
  leftovers: LeftoverRow
  leases: LeaseRow
  stems: StemsRow
}

export type Db = Kysely<MusicTables> | Transaction<MusicTables>
