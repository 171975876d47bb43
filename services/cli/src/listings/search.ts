import type { ListingsSearchResponseRest } from '@trellis/protos/edge/rest.ts'
import { type Command, numberOf, readArguments } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { openServer } from '../server.ts'
import { table } from './table.ts'

const options = {
  server: { type: 'string' },
  min: { type: 'string' },
  max: { type: 'string' },
  pages: { type: 'string' },
  must: { type: 'string' },
  mode: { type: 'string' },
  not: { type: 'string' },
  category: { type: 'string' },
  adapter: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const

const defaultLimit = 20

export const searchCommand: Command = {
  usage:
    '"QUERY" [--min PRICE] [--max PRICE] [--must TERMS] [--mode all|any|groups] [--not TERMS] [--pages N] [--category ID] [--adapter auto|api|scraper] [--limit N] [--json] [--server URL]',
  purpose: 'searches the marketplace and lists what it finds, the most trusted first',
  run: async (words, { result, ...surroundings }) => {
    const { values, positionals } = readArguments(words, options)
    const query = positionals.join(' ').trim()
    if (query === '') throw new CommandFailure('What to search for? trellis listings search "thinkpad"', 2)
    const limit = numberOf('limit', values.limit) ?? defaultLimit
    await using server = await openServer(values.server, surroundings)
    const answer = await server.client.call<ListingsSearchResponseRest>('/listings/api/search', {
      query: {
        q: query,
        min_price: numberOf('min', values.min),
        max_price: numberOf('max', values.max),
        pages: numberOf('pages', values.pages),
        must_include: values.must,
        must_include_mode: values.mode,
        must_exclude: values.not,
        category_id: values.category,
        adapter: values.adapter,
      },
    })
    result(values.json ? JSON.stringify(answer, null, 2) : table(answer, limit))
  },
}
