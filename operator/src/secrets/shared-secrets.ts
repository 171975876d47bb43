import type { Client, Draft } from '../runtime/mod.ts'
import { type Secret, secrets } from './secret-kind.ts'
import { amongOthers, findSecret, type SecretTarget } from './secret-values.ts'

/** What workers and branches read: the database is for the services alone. */
const sharedKeys = ['rpc-secret', 'nats-search', 'nats-generation', 'nats-branch'] as const
/** What earlier releases shared: the token opened all of NATS. */
const withdrawnKeys = ['nats-token'] as const

/** Names, as namespace/name, the Secret that another is a copy of. */
export const copyOf = 'trellis.dev/copy-of'

const sharedData = ({ data = {} }: Secret): Record<string, string> =>
  Object.fromEntries(sharedKeys.flatMap((key) => (data[key] ? [[key, data[key]]] : [])))

const copyTo = async (client: Client, own: Secret, target: SecretTarget): Promise<boolean> => {
  const { name, namespace, labels } = target
  const source = `${own.metadata.namespace}/${own.metadata.name}`
  const data = sharedData(own)
  const found = await findSecret(client, target)
  if (!found) {
    const draft: Draft<Secret> = {
      metadata: { name, namespace, labels: { ...labels }, annotations: { [copyOf]: source } },
      type: 'Opaque',
      data,
    }
    await client.create(secrets, draft)
    return true
  }
  if (found.metadata.annotations?.[copyOf] !== source)
    throw new Error(
      `The Secret ${name} of the namespace ${namespace} is not of this installation, so that workers cannot be run there: remove it, or leave the namespace out of operator.watchNamespaces.`,
    )
  const withdrawn = withdrawnKeys.filter((key) => found.data?.[key] !== undefined)
  if (withdrawn.length === 0 && sharedKeys.every((key) => found.data?.[key] === data[key])) return false
  const { resourceVersion } = found.metadata
  const patch = { ...data, ...Object.fromEntries(withdrawn.map((key) => [key, null])) }
  await client.patch(secrets, target, { type: 'merge', body: { metadata: { resourceVersion }, data: patch } })
  return true
}

/**
 * Copies what workers need of an installation's Secret to the other namespaces in which they run, under the same name, and brings
 * copies up to date. Gives the namespaces that were written to. Throws where such a Secret is somebody else's.
 */
export const shareSecret = async (
  client: Client,
  own: SecretTarget,
  namespaces: readonly string[],
): Promise<string[]> => {
  const others = [...new Set(namespaces)].filter((namespace) => namespace !== own.namespace)
  if (others.length === 0) return []
  const source = await client.get(secrets, own)
  const written: string[] = []
  for (const namespace of others)
    if (await amongOthers(() => copyTo(client, source, { ...own, namespace }))) written.push(namespace)
  return written
}
