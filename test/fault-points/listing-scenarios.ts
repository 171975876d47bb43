import { eventually, type Scenario, send, untilAccepted } from './scenario.ts'

const queries = ['camera', 'lens']
type Query = { path: string }

/** A synchronous search: its answer is complete or reports a failure. */
export const search: Scenario<Query> = {
  name: 'search',
  prepare: async (_installation, key) => {
    const words = queries[key.charCodeAt(key.length - 1) % queries.length]
    return { path: `/listings/api/search?q=${words}&pages=1` }
  },
  operate: async ({ origin }, { path }) => (await send(`${origin}${path}`)).status === 200,
  check: async ({ origin }, { path }) => [
    ...(await untilAccepted('the search, repeated', () => send(`${origin}${path}`))),
    ...(await eventually(async () => {
      const { status, json, body } = await send(`${origin}${path}`)
      const isFound = Array.isArray(json.listings) && json.listings.length > 0
      return isFound ? [] : [`a search finds nothing: ${status} ${body.toString().slice(0, 500)}`]
    })),
  ],
}

/** An asynchronous search: its stream ends with `done`, also after a restart. */
export const streamedSearch: Scenario<Query & { session?: string }> = {
  name: 'streamed-search',
  prepare: async (_installation, key) => {
    const words = queries[key.charCodeAt(key.length - 1) % queries.length]
    return { path: `/listings/api/search/async?q=${words}&pages=1` }
  },
  operate: async ({ origin }, state) => {
    const { status, json } = await send(`${origin}${state.path}`)
    if (status !== 202) return false
    state.session = String(json.session_id)
    const stream = await send(`${origin}/listings/api/updates/${state.session}`)
    return stream.status === 200 && stream.body.includes('event: done')
  },
  check: async ({ origin }, { path, session }) => {
    const wrong: string[] = []
    if (session) {
      wrong.push(
        ...(await eventually(async () => {
          const { status, body } = await send(`${origin}/listings/api/updates/${session}`)
          if (status === 404) return []
          return body.includes('event: done') ? [] : [`the stream of ${session} is answered ${status} and has no end`]
        })),
      )
    }
    return [...wrong, ...(await untilAccepted('the search, repeated', () => send(`${origin}${path}`)))]
  },
}
