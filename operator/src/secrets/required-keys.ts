import type { Client } from '../runtime/mod.ts'
import { findSecret, type SecretTarget } from './secret-values.ts'

/** Key in the owner's Secret without which the log service is open to everyone who reaches the edge. */
const apiKey = 'SERVICE_API_KEY'

/**
 * Throws if the Secret exists without the API key of the log service. A missing Secret may come with the release: pods
 * wait for it.
 */
export const requireApiKey = async (
  client: Client,
  target: Pick<SecretTarget, 'name' | 'namespace'>,
): Promise<void> => {
  const found = await findSecret(client, target)
  if (!found || found.data?.[apiKey]) return
  throw new Error(
    `The Secret ${target.name} (keys.existingSecret) has no ${apiKey}, so everyone who reaches the edge could read the logs. Add the key to the Secret, or set keys.optional=true to leave the log service open.`,
  )
}
