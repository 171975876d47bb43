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

export type Window = { start: number | null; end: number | null; source: 'given' | 'query' | 'default' }

export type DiagnoseInput = {
  query: string
  sourceFilter?: string | undefined
  since?: number | undefined
  until?: number | undefined
  zone: Zone
  now: number
  /** Absent: the rules write the summary. */
  model?: LanguageModel | undefined
  /** Why there is none although one is configured. */
  modelProblem?: string | undefined
  /** Whom the model writes for. */
  audience: Audience
  upstream: Pick<Egress, 'fetch'>
  /** What people have written down about their systems. */
  knowledge: Pick<Knowledge, 'contextFor'>
  signal: AbortSignal
}

export type Timeline = { time: string; count: number; errors: number }[]
/** How many entries are before and behind the timeline, far from all others. */
export type LeftOut = { earlier: number; later: number }
export type TemplateCount = { templateId: string; template: string; count: number }

/** A step of a diagnosis, in the order in which they come. */
export type Step =
  | { kind: 'status'; stage: string; detail: string }
  | { kind: 'asked'; window: Window; keywords: string[] }
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
      /** Branches that did not answer: nothing of theirs is told of. */
      away: readonly string[]
    }

/** What was found without a model. */
export type Findings = {
  rules: string
  counts: Counts
  causes: Cause[]
  context: Context
  away: readonly string[]
  /** The most important first. */
  groups: readonly Group[]
  timeline: Timeline
  leftOut: LeftOut | null
  templates: TemplateCount[]
}
