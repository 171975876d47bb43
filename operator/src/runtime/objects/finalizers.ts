import { isNotFound } from '../client/api-error.ts'
import type { Client, WriteOptions } from '../client/client.ts'
import type { KubeObject } from './object.ts'
import type { Resource } from './resource.ts'

/** Whether an object waits for what `finalizer` stands for. */
export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true

/** The whole list is written, so it must be of the version that was read: a conflict says that somebody else came first. */
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
 * Keeps an object from going before its finalizer is removed. To be called before anything is made that would have to be
 * removed. Gives the object as it is then; it is the same where there was nothing to write.
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

/** Lets an object go. To be called when everything outside is removed. An object that is gone already is fine. */
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
