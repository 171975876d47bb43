import type { Egress } from '@trellis/kit/egress'
import type { LanguageModel } from '@trellis/kit/language-model'
import type { Context, Knowledge } from '../context/knowledge.ts'
import type { StoredEntry } from '../entries/entry.ts'
import type { Zone } from '../formats/zone.ts'
import type { Audience } from './audiences.ts'
import type { Cause } from './causes.ts'
import type { Group } from './groups.ts'
import type { Layer } from './layers.ts'
import type { Counts } from './summary.ts'

export type Window = { start: number | null; end: number | null; source: 'given' | 'query' | 'default' } // words: allowed

export type DiagnoseInput = {
  query: string
  sourceFilter?: string | undefined
  since?: number | undefined
  until?: number | undefined
  zone: Zone
  now: number
  /** The language model; without one, the rules write the summary. */
  model?: LanguageModel | undefined
  /** Why the configured model cannot be used. */
  modelProblem?: string | undefined
  /** The audience of the model's summary. */
  audience: Audience
  upstream: Pick<Egress, 'fetch'>
  /** The operator's notes about the systems. */
  knowledge: Pick<Knowledge, 'contextFor'>
  signal: AbortSignal
}

export type Timeline = { time: string; count: number; errors: number }[]
/** The numbers of entries before and after the timeline, with times far from all others. */
export type LeftOut = { earlier: number; later: number }
export type TemplateCount = { templateId: string; template: string; count: number }

/** A step of a diagnosis, in the order in which they are yielded. */
export type Step =
  | { kind: 'status'; stage: string; detail: string }
  | { kind: 'question'; window: Window; keywords: string[] }
  | { kind: 'summary'; text: string; source: 'llm' | 'rules'; counts: Counts; partial: boolean }
  | { kind: 'entries'; layer: Layer; entries: StoredEntry[] }
  | {
      kind: 'reasoning'
      text: string
      causes: Cause[]
      timeline: Timeline
      leftOut: LeftOut | null
      templates: TemplateCount[]
      context: Context
      /** Branches that did not respond: their entries are missing. */
      away: readonly string[]
    }

/** The results without a model. */
export type Findings = {
  rules: string
  counts: Counts
  causes: Cause[]
  context: Context
  away: readonly string[]
  /** Sorted by weight, the highest first. */
  groups: readonly Group[]
  timeline: Timeline
  leftOut: LeftOut | null
  templates: TemplateCount[]
}
