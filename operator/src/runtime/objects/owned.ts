import { isAlreadyExists, isConflict, isNotFound } from '../client/api-error.ts'
import type { Client, DeleteOptions, RequestOptions, WriteOptions } from '../client/client.ts'
import { type Draft, type KubeObject, keyOf, type ObjectRef } from './object.ts'
import { controllerOf } from './owners.ts'
import type { Resource } from './resource.ts'

const isOwnedBy = (object: KubeObject, { metadata }: KubeObject): boolean => controllerOf(object)?.uid === metadata.uid

/**
 * Makes an object that `owner` controls, under a name that follows from what it is for; gives the one that was made already
 * where a cache does not show it yet. Throws where the name is taken by what is not the owner's.
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
    const sentence = `The ${resource.kind} ${keyOf(made.metadata)} is not of ${keyOf(owner.metadata)}, for which it would be made.`
    throw new Error(sentence, { cause: error })
  }
}

/** The object of a name as the server has it, where there is one and `owner` controls it: a cache may be behind. */
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

/** Asks for the end of an object, if it is still the one that was looked at; one that is gone or going is fine. */
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
    // It is gone, or another of its name is there.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
