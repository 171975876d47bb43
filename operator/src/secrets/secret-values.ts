import { randomBytes } from 'node:crypto'
import { type Client, type Draft, isAlreadyExists, isConflict, isNotFound } from '../runtime/mod.ts'
import { type Secret, secrets } from './secret-kind.ts'

/** Keys of the secrets that the processes of an installation share. */
export const secretKeys = [
  'rpc-secret',
  'nats-token',
  'nats-operator',
  'nats-listings',
  'nats-logs',
  'nats-music',
  'nats-search',
  'nats-generation',
  'nats-branch',
  'postgres-password',
  'settings-key',
  'api-key',
] as const

export type SecretTarget = { name: string; namespace: string; labels: Readonly<Record<string, string>> }

/**
 * Generates 256 bits as letters and digits, starting with a letter, which need no escaping in URLs and configuration
 * files.
 */
const draw = (): string => `k${randomBytes(32).toString('hex')}`

const encoded = (keys: readonly string[]): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, Buffer.from(draw()).toString('base64')]))

export const findSecret = async (
  client: Client,
  target: Pick<SecretTarget, 'name' | 'namespace'>,
): Promise<Secret | undefined> => {
  try {
    return await client.get(secrets, target)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Maximum attempts of a step that conflicts with concurrent writers. */
const attempts = 5

/** Retries a step that conflicts with a concurrent writer. The step must read the current state each time. */
export const amongOthers = async <T>(step: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await step()
    } catch (error) {
      if (attempt === attempts || !(isAlreadyExists(error) || isConflict(error))) throw error
    }
}

/**
 * Generates the values that an installation's Secret lacks, and leaves the others: the first installation creates it,
 * upgrades add new keys. Returns the generated keys. Of concurrent runs, only one generates each value.
 */
export const completeSecret = (client: Client, target: SecretTarget): Promise<string[]> =>
  amongOthers(async () => {
    const found = await findSecret(client, target)
    const { name, namespace, labels } = target
    if (!found) {
      const draft: Draft<Secret> = {
        metadata: { name, namespace, labels: { ...labels } },
        type: 'Opaque',
        data: encoded(secretKeys),
      }
      await client.create(secrets, draft)
      return [...secretKeys]
    }
    const lacking = secretKeys.filter((key) => !found.data?.[key])
    if (lacking.length === 0) return []
    const { resourceVersion } = found.metadata
    const body = { metadata: { resourceVersion }, data: encoded(lacking) }
    await client.patch(secrets, target, { type: 'merge', body })
    return lacking
  })
