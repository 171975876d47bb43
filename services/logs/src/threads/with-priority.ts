import type { Priority } from '../priority-scheduler.ts'
import type { LogEngine } from './log-engine.ts'

type Queries = Pick<LogEngine, 'search' | 'searchSerialized' | 'templates'>

/** An engine whose queries have a priority. */
export const withPriority = <Engine extends Queries>(engine: Engine, priority: Priority): Engine => ({
  ...engine,
  searchSerialized:
    engine.searchSerialized && ((request, signal) => engine.searchSerialized?.({ ...request, priority }, signal)),
  search: (request, signal) => engine.search({ ...request, priority }, signal),
  templates: (query, signal, onMissing) => engine.templates({ ...query, priority }, signal, onMissing),
})
