import type { RequestOf } from '../../api/client.ts'
import { flag, list, oneOf, text } from '../../url/codecs.ts'
import type { urlState } from '../../url/state.svelte.ts'
import { filterShape } from '../parts/filters.ts'

/** The state of the search page in its URL. */
export const searchShape = {
  ...filterShape,
  wrap: flag(),
  dedupe: oneOf(['none', 'text', 'template'], 'none'),
  cols: list(),
  tz: oneOf(['', 'local', 'utc'], ''),
  order: oneOf(['relevance', 'time'], 'relevance'),
  semantic: flag(),
  live: flag(),
  e: text(),
  tab: oneOf(['lines', 'templates'], 'lines'),
}
export type SearchView = ReturnType<typeof urlState<typeof searchShape>>

/** How many lines a page of results has. */
export const pageSize = 200
export type SearchQuery = NonNullable<RequestOf<'GET /logs/api/search'>['query']>
