import type { IndexFunction, KubeObject } from '../runtime/mod.ts'
import { label } from '../workers/mod.ts'
import { isFinished } from './run-status.ts'

/** Cache index that finds objects by their run ids: see `runIdsOf`. */
export const runIdIndex = 'run'

/** Cache index of unfinished objects, under the value `unfinished`: finished ones are far more numerous. */
export const unfinishedIndex = 'unfinished'

/** Format of a run id, which is part of topics, file names and labels. */
export const runIdPattern = /^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$/

/** Prefix of run ids derived from objects; services choose the ids of runs that they request. */
const fromObject = 'obj-'

/** The parts of an object that determine the id of its run. */
export type RunIdSource = KubeObject & {
  status?: {
    phase?: string
    sessionId?: string
    podName?: string
    conditions?: readonly { type: string; reason: string }[]
  }
}

const afterSuspension = ({ metadata }: RunIdSource): string =>
  `${fromObject}${metadata.uid}-${metadata.generation ?? 1}`

const wasSuspended = ({ status }: RunIdSource): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.reason === 'Suspended'

const firstRunId = ({ metadata }: RunIdSource): string =>
  metadata.labels?.[label.runId] ?? `${fromObject}${metadata.uid}`

/** Whether a run id was derived from an object, so that there is, or was, an object without the run-id label. */
export const isFromObject = (runId: string): boolean => runId.startsWith(fromObject)

/**
 * The id of an object's current run: from its status, otherwise from the label that a service set, otherwise derived
 * from the uid. A suspension ends a run, and resuming starts another, whose id also contains the generation of the
 * spec.
 */
export const runIdOf = (object: RunIdSource): string => {
  if (object.status?.sessionId) return object.status.sessionId
  return wasSuspended(object) ? afterSuspension(object) : firstRunId(object)
}

/** Whether a service requested the current run, and so has already planned it. No service requests a resumed run. */
export const wasRequested = (object: RunIdSource): boolean => object.metadata.labels?.[label.runId] === runIdOf(object)

/** The ids that an object is indexed under: of its first run, and of the current one. */
export const runIdsOf: IndexFunction<RunIdSource> = (object) => [...new Set([firstRunId(object), runIdOf(object)])]

/** Indexes for a cache of runs: `manager.cache(searches, { indexes: runIndexes })`. */
export const runIndexes: Readonly<Record<string, IndexFunction<RunIdSource>>> = {
  [runIdIndex]: runIdsOf,
  [unfinishedIndex]: (object) => (isFinished(object) ? [] : [unfinishedIndex]),
}
