import { randomBytes } from 'node:crypto'
import type { Branch } from '../crds/mod.ts'
import { type Client, controllerOf, isAlreadyExists, isNotFound, type RequestOptions } from '../runtime/mod.ts'
import { type Secret, secrets } from '../secrets/secret-kind.ts'
import { type BranchSettings, keyName, secretFor } from './children.ts'
import { namesOf } from './names.ts'

/** 256 bits, as text that goes into a header as it is. */
const drawKey = (): string => randomBytes(32).toString('base64url')

/** Whether something with a Branch's name for it is this Branch's, not a former one's. */
export const isOwnedBy = (object: { metadata: Secret['metadata'] }, { metadata }: Branch): boolean =>
  controllerOf(object)?.uid === metadata.uid

/**
 * The Secret of a Branch, made with a new key unless it is there. Whoever is first draws the key, and everybody else finds
 * it. The Secret may be another's: ask `isOwnedBy`.
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

/** The key that a Secret holds; undefined where somebody has taken it out. */
export const keyOfSecret = ({ data }: Secret): string | undefined => {
  const encoded = data?.[keyName]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}
