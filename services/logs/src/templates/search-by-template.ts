import { type SearchOptions, type SearchRequest, type SearchResult, search } from '../search/search.ts'
import type { Part } from '../segments/part.ts'
import type { Templates } from './templates.ts'

/** A search whose filters find all that leads to a template, and whose entries have the templates that theirs lead to now. */
export const searchByTemplate = async (
  parts: readonly Part[],
  request: SearchRequest,
  templates: Pick<Templates, 'members' | 'present'>,
  options: SearchOptions,
): Promise<SearchResult> => {
  const { anyTemplate } = request.filters
  const expanded = anyTemplate && {
    ...request,
    filters: { ...request.filters, anyTemplate: anyTemplate.flatMap(templates.members) },
  }
  const result = await search(parts, expanded ?? request, options)
  return {
    ...result,
    entries: result.entries.map((found) => ({ ...found, entry: templates.present(found.entry) })),
  }
}
