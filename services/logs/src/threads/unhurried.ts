import type { Urgency } from '../precedence.ts'
import type { LogEngine } from './log-engine.ts'

type Asked = Pick<LogEngine, 'search' | 'searchSerialized' | 'templates'>

/** An engine whose questions let more urgent ones go first. */
export const unhurried = <Engine extends Asked>(engine: Engine, urgency: Urgency): Engine => ({
  ...engine,
  searchSerialized:
    engine.searchSerialized && ((request, signal) => engine.searchSerialized?.({ ...request, urgency }, signal)),
  search: (request, signal) => engine.search({ ...request, urgency }, signal),
  templates: (question, signal, onMissing) => engine.templates({ ...question, urgency }, signal, onMissing),
})
