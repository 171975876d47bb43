import type { Entry, Shown } from './watch.ts'

const runIdLabel = 'trellis.dev/run-id'

export const runIdOf = ({ metadata }: Shown): string | undefined => metadata.labels?.[runIdLabel]

export const controllerOf = ({ metadata }: Shown): string | undefined =>
  metadata.ownerReferences?.find(({ controller }: Shown) => controller)?.uid

/** Whether a pod may be at work; terminating pods count too. */
const isLive = ({ type, object }: Entry): boolean =>
  type !== 'DELETED' && !['Succeeded', 'Failed'].includes(object.status?.phase)

const endOf = ({ status }: Shown): string | undefined =>
  status?.phase === 'Complete' || status?.phase === 'Failed'
    ? JSON.stringify([status.phase, status.sessionId, status.completionTime])
    : undefined

/**
 * Checks the rules of runs against the history of pods and Searches in a namespace, and returns a sentence for each violation:
 * a Search has at most one live worker at any time; a pod serves one run of one Search and is never shared or returned; the
 * final state of a Search does not change; no Search is removed before it has ended, except those in `removedByUs`.
 */
export const audit = (entries: readonly Entry[], removedByUs: ReadonlySet<string> = new Set()): string[] => {
  const broken: string[] = []
  const servedBy = new Map<string, string>()
  const liveOf = new Map<string, Set<string>>()
  const ends = new Map<string, string>()

  const auditPod = (entry: Entry) => {
    const { uid, name } = entry.object.metadata
    const [runId, search] = [runIdOf(entry.object), controllerOf(entry.object)]
    const serves = runId && search ? `${search} ${runId}` : undefined
    const before = servedBy.get(uid)
    if (before !== undefined && serves !== before) broken.push(`The pod ${name} served ${before}, then ${serves}.`)
    if (serves === undefined || search === undefined) return
    servedBy.set(uid, serves)
    const live = liveOf.get(search) ?? new Set()
    liveOf.set(search, live)
    if (!isLive(entry)) return void live.delete(name)
    live.add(name)
    if (live.size > 1) broken.push(`The Search ${search} has ${live.size} workers at once: ${[...live].join(', ')}.`)
  }

  const auditSearch = ({ type, object }: Entry) => {
    const { uid, name } = object.metadata
    const end = endOf(object)
    const before = ends.get(uid)
    if (before !== undefined && end !== before) broken.push(`The Search ${name} had ended as ${before}, then ${end}.`)
    if (end !== undefined) ends.set(uid, end)
    if (type === 'DELETED' && end === undefined && !removedByUs.has(name))
      broken.push(`The Search ${name} was removed before it had ended.`)
  }

  for (const entry of entries) {
    if (entry.resource === 'pods') auditPod(entry)
    if (entry.resource === 'searches') auditSearch(entry)
  }
  return broken
}
