import type { IndexFunction, KubeObject } from '../runtime/mod.ts'
import { label } from '../workers/mod.ts'
import { isFinished } from './run-status.ts'

/** The index of a cache that finds objects by their runs: see `runIdsOf`. */
export const runIdIndex = 'run'

/** The index of a cache that finds the objects that have not ended, under `unfinished`: those that have are many more. */
export const unfinishedIndex = 'unfinished'

/** What a run id looks like: it names topics, files and labels. */
export const runIdPattern = /^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$/

/** Parts the runs that an object asked for from those that a service did, whose ids it chose. */
const fromObject = 'obj-'

/** What a run is read from: a Search, a GenerationJob. */
export type RunObject = KubeObject & {
  status?: {
    phase?: string
    sessionId?: string
    podName?: string
    conditions?: readonly { type: string; reason: string }[]
  }
}

const afterSuspension = ({ metadata }: RunObject): string => `${fromObject}${metadata.uid}-${metadata.generation ?? 1}`

const wasSuspended = ({ status }: RunObject): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.reason === 'Suspended'

const firstRunId = ({ metadata }: RunObject): string => metadata.labels?.[label.runId] ?? `${fromObject}${metadata.uid}`

/** Whether a run id is of the form that follows from an object, so that there is, or was, an object without its label. */
export const isFromObject = (runId: string): boolean => runId.startsWith(fromObject)

/**
 * The id of an object's current run: what its status says, else the label that a service put on it, else one that follows
 * from the uid. A suspension ends a run, and what is resumed is another one: its id also has the generation of the spec.
 */
export const runIdOf = (object: RunObject): string => {
  if (object.status?.sessionId) return object.status.sessionId
  return wasSuspended(object) ? afterSuspension(object) : firstRunId(object)
}

/** Whether a service asked for the current run, and so has planned it already. A run that was resumed nobody asked for. */
export const wasRequested = (object: RunObject): boolean => object.metadata.labels?.[label.runId] === runIdOf(object)

/** The ids that an object is found by: of its first run, and of the current one. */
export const runIdsOf: IndexFunction<RunObject> = (object) => [...new Set([firstRunId(object), runIdOf(object)])]

/** How a cache of runs files its objects: `manager.cache(searches, { indexes: runIndexes })`. */
export const runIndexes: Readonly<Record<string, IndexFunction<RunObject>>> = {
  [runIdIndex]: runIdsOf,
  [unfinishedIndex]: (object) => (isFinished(object) ? [] : [unfinishedIndex]),
}
