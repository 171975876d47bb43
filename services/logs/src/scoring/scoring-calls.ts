import type { UserFormatSet } from '../formats/active-formats.ts'
import type { SearchRequest } from '../search/search.ts'
import type { TemplateCounts, TemplateRequest } from '../templates/count-templates.ts'
import type { Scorer } from './finding.ts'
import type { Scored } from './scorer.ts'
import type { SourceRange } from './source-range.ts'

/** Calls of the scoring thread, one at a time per scorer. */
export type ScoringCalls = {
  score: (scorer: Scorer, range: SourceRange, userFormats: UserFormatSet) => Promise<Scored>
  rest: (processGoesOn: boolean) => void
}

/** Calls that the scoring thread makes to its host, with the scorer that they are for. */
export type ScoringHostCalls = {
  /** The result as serialized by `serialize` of `node:v8`. */
  search: (scorer: Scorer, request: SearchRequest) => Promise<Uint8Array>
  templates: (scorer: Scorer, question: TemplateRequest) => Promise<TemplateCounts[]>
}
