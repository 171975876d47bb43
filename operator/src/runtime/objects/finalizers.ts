import { isNotFound } from '../client/api-error.ts'
import type { Client, WriteOptions } from '../client/client.ts'
import type { KubeObject } from './object.ts'
import type { Resource } from './resource.ts'

/** Whether the object carries `finalizer`. */
export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true

/**
 * The patch replaces the whole list, so it carries the version that was read: a conflict means that another client
 * wrote first.
 */
const writeFinalizers = <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { metadata }: T,
  finalizers: readonly string[],
  options?: WriteOptions,
): Promise<T> =>
  client.patch(
    resource,
    metadata,
    { type: 'merge', body: { metadata: { resourceVersion: metadata.resourceVersion, finalizers } } },
    options,
  )

/**
 * Blocks deletion of an object until the finalizer is removed. Call it before creating anything that needs cleanup.
 * Returns the updated object, or the same one if there was nothing to write.
 */
export const addFinalizer = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<T> => {
  if (hasFinalizer(object, finalizer)) return object
  return writeFinalizers(client, resource, object, [...(object.metadata.finalizers ?? []), finalizer], options)
}

/**
 * Unblocks deletion of an object. Call it once everything external is cleaned up. An object that is already gone is
 * fine.
 */
export const removeFinalizer = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  finalizer: string,
  options?: WriteOptions,
): Promise<void> => {
  if (!hasFinalizer(object, finalizer)) return
  const rest = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
  try {
    await writeFinalizers(client, resource, object, rest, options)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
