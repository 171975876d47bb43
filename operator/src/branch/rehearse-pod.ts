import type { Branch } from '../crds/mod.ts'
import {
  type Client,
  conditionOf,
  type Draft,
  isAlreadyExists,
  isNotFound,
  type ObjectRef,
  type RequestOptions,
} from '../runtime/mod.ts'
import { type Pod, pods } from '../workers/mod.ts'
import { type Claim, claims, type StatefulSet } from './child-kinds.ts'
import { namesOf, volumeName } from './names.ts'

/** Whether a Branch has not been ready for `milliseconds`, so that Kubernetes has had the time to create its pod. */
export const isLongOverdue = ({ status }: Branch, milliseconds: number, now: number): boolean => {
  const ready = conditionOf(status.conditions, 'Ready')
  return ready?.status === 'False' && now - Date.parse(ready.lastTransitionTime) >= milliseconds
}

const ignoreExisting = (error: unknown) => {
  if (!isAlreadyExists(error)) throw error
}

const exists = async (client: Client, ref: ObjectRef, options: RequestOptions): Promise<boolean> => {
  try {
    await client.get(claims, ref, options)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/**
 * Asks the API server whether it accepts the volume claim and the pod that a StatefulSet requires, without creating them. Throws its
 * rejection, for example by a quota, which the StatefulSet's status does not show.
 */
export const rehearsePod = async (
  branch: Branch,
  { spec }: StatefulSet,
  client: Client,
  options: RequestOptions,
): Promise<void> => {
  const [claimTemplate] = spec?.volumeClaimTemplates ?? []
  if (!spec || !claimTemplate) return
  const rehearsal = { ...options, dryRun: true }
  const names = namesOf(branch)
  const { namespace = 'default' } = branch.metadata
  const claim = { metadata: { ...claimTemplate.metadata, name: names.claim, namespace }, spec: claimTemplate.spec }
  // A full quota rejects an existing name, too.
  if (!(await exists(client, claim.metadata, options)))
    await client.create<Claim>(claims, claim, rehearsal).catch(ignoreExisting)
  const volume = { name: volumeName, persistentVolumeClaim: { claimName: names.claim } }
  const { metadata, spec: podSpec } = spec.template
  const pod: Draft<Pod> = {
    metadata: { ...metadata, name: names.pod, namespace },
    spec: { ...podSpec, volumes: [...podSpec.volumes, volume] },
  }
  await client.create(pods, pod, rehearsal).catch(ignoreExisting)
}
