import { randomBytes } from 'node:crypto'
import type { Branch } from '../crds/mod.ts'
import { type Client, controllerOf, isAlreadyExists, isNotFound, type RequestOptions } from '../runtime/mod.ts'
import { type Secret, secrets } from '../secrets/secret-kind.ts'
import { type BranchSettings, keyName, secretFor } from './children.ts'
import { namesOf } from './names.ts'

/** Generates a key of 256 bits as text that needs no escaping in a header. */
const drawKey = (): string => randomBytes(32).toString('base64url')

/** Whether this Branch controls the object, and not a former one of the same name. */
export const isOwnedBy = (object: { metadata: Secret['metadata'] }, { metadata }: Branch): boolean =>
  controllerOf(object)?.uid === metadata.uid

/**
 * Returns the Secret of a Branch, creating it with a new key if it is missing. The first creator generates the key; all
 * others read it. The Secret may belong to another Branch: check `isOwnedBy`.
 */
export const ensureSecret = async (
  client: Client,
  branch: Branch,
  settings: BranchSettings,
  options?: RequestOptions,
): Promise<{ secret: Secret; isNew: boolean }> => {
  const { namespace } = branch.metadata
  const ref = { name: namesOf(branch).secret, ...(namespace === undefined ? {} : { namespace }) }
  const get = async () => ({ secret: await client.get(secrets, ref, options), isNew: false })
  try {
    return await get()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  try {
    return { secret: await client.create(secrets, secretFor(branch, drawKey(), settings), options), isNew: true }
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return await get()
  }
}

/** The key in a Secret; undefined if it was removed. */
export const keyOfSecret = ({ data }: Secret): string | undefined => {
  const encoded = data?.[keyName]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}
