import { type SearchOptions, type SearchRequest, type SearchResult, search } from '../search/search.ts'
import type { Part } from '../segments/part.ts'
import type { Templates } from './templates.ts'

/** A search whose template filters match all ids that resolve to a template, and whose entries have the current ids of their templates. */
export const searchByTemplate = async (
  parts: readonly Part[],
  request: SearchRequest,
  templates: Pick<Templates, 'members' | 'present'>,
  options: SearchOptions,
): Promise<SearchResult> => {
  const { anyTemplate, notTemplate } = request.filters
  const expanded = {
    ...request,
    filters: {
      ...request.filters,
      ...(anyTemplate && { anyTemplate: anyTemplate.flatMap(templates.members) }),
      ...(notTemplate && { notTemplate: notTemplate.flatMap(templates.members) }),
    },
  }
  const result = await search(parts, expanded, options)
  return {
    ...result,
    entries: result.entries.map((found) => ({ ...found, entry: templates.present(found.entry) })),
  }
}
