import type { Client, KubeObject, Resource, Store } from '../runtime/mod.ts'
import { type Desired, statusChanges } from './run-status.ts'

/**
 * Brings a status to what is wanted, with one request, and none where it is that already. It is written over the version that
 * was looked at alone: what was decided by another is decided again. Gives the status as it is then.
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
