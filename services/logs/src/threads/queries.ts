import type { IndexCalls } from './index-calls.ts'
import type { LazyThread } from './lazy-thread.ts'
import type { LogEngine } from './log-engine.ts'
import { withSharedAbort } from './shared-abort.ts'

type QueryCalls = Pick<IndexCalls, 'search' | 'searchSerialized' | 'countWords' | 'find' | 'sources' | 'templates'>

/** The queries of an engine, as calls to its thread; each ends when its caller's signal aborts. */
export const createQueries = ({ call }: Pick<LazyThread<QueryCalls>, 'call'>): Pick<LogEngine, keyof QueryCalls> => ({
  search: (request, signal) => withSharedAbort(signal, (left) => call('search', [request, left])),
  searchSerialized: (request, signal) => withSharedAbort(signal, (left) => call('searchSerialized', [request, left])),
  countWords: (query, signal) => withSharedAbort(signal, (left) => call('countWords', [query, left])),
  find: (entryId, signal) => withSharedAbort(signal, (left) => call('find', [entryId, left])),
  sources: (filters, signal) => withSharedAbort(signal, (left) => call('sources', [filters, left])),
  templates: (question, signal) => withSharedAbort(signal, (left) => call('templates', [question, left])),
})
