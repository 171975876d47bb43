import type { RunMemories, RunMemory } from '../runs/mod.ts'

/** What is remembered of a generation beside what is of every run. */
type More = {
  /** Since when its Job has no pod that a node has taken. */
  waitingSince: number
  /** It was given a place among those that run at a time. */
  isAdmitted: true
}

export type GenerationMemory = RunMemory & Partial<More>
export type GenerationMemories = RunMemories<More>
