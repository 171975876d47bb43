import type { EntryRest } from '@trellis/protos/edge/client.ts'
import { call, type RequestOf } from '../../api/client.ts'

const perPage = 1_000
const maxPages = 10

type Query = NonNullable<RequestOf<'GET /logs/api/search'>['query']>

/** What a search finds between two times, the oldest first; of more than 10,000 lines only the newest. */
export const entriesBetween = async (
  filters: Query,
  { since, until }: { since: string; until?: string | undefined },
  signal: AbortSignal,
): Promise<{ entries: EntryRest[]; isComplete: boolean }> => {
  const pages: EntryRest[][] = []
  let cursor: string | null = null
  do {
    const page: { entries: EntryRest[]; next_cursor: string | null } = await call(
      'GET /logs/api/search',
      { query: { ...filters, since, until, order: 'time', limit: perPage, cursor } },
      { signal },
    )
    pages.unshift(page.entries.toReversed())
    cursor = page.next_cursor
  } while (cursor !== null && pages.length < maxPages)
  return { entries: pages.flat(), isComplete: cursor === null }
}
