import { isAlreadyExists, isConflict, isNotFound } from '../client/api-error.ts'
import type { Client, DeleteOptions, RequestOptions, WriteOptions } from '../client/client.ts'
import { type Draft, type KubeObject, keyOf, type ObjectRef } from './object.ts'
import { controllerOf } from './owners.ts'
import type { Resource } from './resource.ts'

const isOwnedBy = (object: KubeObject, { metadata }: KubeObject): boolean => controllerOf(object)?.uid === metadata.uid

/**
 * Creates an object that `owner` controls under a deterministic name; returns the existing one if it was created
 * already and the cache does not show it yet. Throws if another owner holds the name.
 */
export const createOwned = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  draft: Draft<T>,
  owner: KubeObject,
  options?: WriteOptions,
): Promise<T> => {
  try {
    return await client.create(resource, draft, options)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const made = await client.get(resource, { name: '', ...draft.metadata }, options)
    if (isOwnedBy(made, owner)) return made
    const sentence = `The ${resource.kind} ${keyOf(made.metadata)} exists but is not controlled by ${keyOf(owner.metadata)}.`
    throw new Error(sentence, { cause: error })
  }
}

/** Reads an object from the server, since a cache may lag; undefined if it is missing or not controlled by `owner`. */
export const findOwned = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  ref: ObjectRef,
  owner: KubeObject,
  options?: RequestOptions,
): Promise<T | undefined> => {
  try {
    const found = await client.get(resource, ref, options)
    return isOwnedBy(found, owner) ? found : undefined
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/**
 * Deletes an object if it still has the uid that was read; an object that is already gone or being deleted is fine.
 */
export const remove = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  { metadata }: T,
  options?: Omit<DeleteOptions, 'preconditions'>,
): Promise<void> => {
  if (metadata.deletionTimestamp !== undefined) return
  try {
    await client.delete(resource, metadata, { ...options, preconditions: { uid: metadata.uid } })
  } catch (error) {
    // It is gone, or was replaced by another object of the same name.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
