import type { Client, KubeObject, Resource, Store } from '../runtime/mod.ts'
import { type Desired, statusChanges } from './run-status.ts'

/**
 * Patches a status to the desired one with at most one request. The patch carries the resourceVersion that was read, so
 * a concurrent change is a conflict and leads to a new decision. Returns the resulting status.
 */
export const writeRunStatus = async <Run extends KubeObject & { status: object }>(
  { client, resource, store }: { client: Client; resource: Resource<Run>; store: Pick<Store<Run>, 'wrote'> },
  object: Run,
  desired: Desired<Run['status']>,
  signal: AbortSignal,
): Promise<Run['status']> => {
  const status = statusChanges(object.status, desired)
  if (!status) return object.status
  const { resourceVersion } = object.metadata
  const written = await client.patch(
    resource,
    object.metadata,
    { type: 'merge', body: { metadata: { resourceVersion }, status } },
    { subresource: 'status', signal },
  )
  store.wrote(written)
  return written.status
}
