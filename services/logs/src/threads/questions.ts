import type { IndexCalls } from './index-calls.ts'
import type { LazyThread } from './lazy-thread.ts'
import { whileAwaited } from './leaving.ts'
import type { LogEngine } from './log-engine.ts'

type Asked = Pick<IndexCalls, 'search' | 'searchSerialized' | 'countWords' | 'find' | 'sources' | 'templates'>

/** What an engine is asked, as calls to the thread that knows; each ends when nobody waits for it any more. */
export const createQuestions = ({ call }: Pick<LazyThread<Asked>, 'call'>): Pick<LogEngine, keyof Asked> => ({
  search: (request, signal) => whileAwaited(signal, (left) => call('search', [request, left])),
  searchSerialized: (request, signal) => whileAwaited(signal, (left) => call('searchSerialized', [request, left])),
  countWords: (query, signal) => whileAwaited(signal, (left) => call('countWords', [query, left])),
  find: (entryId, signal) => whileAwaited(signal, (left) => call('find', [entryId, left])),
  sources: (filters, signal) => whileAwaited(signal, (left) => call('sources', [filters, left])),
  templates: (question, signal) => whileAwaited(signal, (left) => call('templates', [question, left])),
})
