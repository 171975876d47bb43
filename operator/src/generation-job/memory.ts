import type { RunMemories, RunMemory } from '../runs/mod.ts'

/** In-memory state of a generation besides that of every run. */
type More = {
  /** Since when its Job has no scheduled pod. */
  waitingSince: number
  /** It holds one of the slots for concurrent runs. */
  isAdmitted: true
}

export type GenerationMemory = RunMemory & Partial<More>
export type GenerationMemories = RunMemories<More>
