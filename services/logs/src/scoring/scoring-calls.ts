import type { UserFormatSet } from '../formats/in-force.ts'
import type { SearchRequest } from '../search/search.ts'
import type { TemplateCounts, TemplateQuestion } from '../templates/count-templates.ts'
import type { Scorer } from './finding.ts'
import type { Scored } from './scorer.ts'
import type { SourceRange } from './source-range.ts'

/** What the scoring thread can be asked: of each scorer one thing at a time. */
export type ScoringCalls = {
  score: (scorer: Scorer, range: SourceRange, userFormats: UserFormatSet) => Promise<Scored>
  rest: (processGoesOn: boolean) => void
}

/** What it asks, and for which scorer. */
export type ScoringHostCalls = {
  /** The result as `serialize` of `node:v8` writes it. */
  search: (scorer: Scorer, request: SearchRequest) => Promise<Uint8Array>
  templates: (scorer: Scorer, question: TemplateQuestion) => Promise<TemplateCounts[]>
}
