import type { Client, Draft } from '../runtime/mod.ts'
import { type Secret, secrets } from './secret-kind.ts'
import { amongOthers, findSecret, type SecretTarget } from './secret-values.ts'

/** Keys that workers and branches need; only services access the database. */
const sharedKeys = ['rpc-secret', 'nats-search', 'nats-generation', 'nats-branch'] as const
/** Keys that earlier releases shared: the token gave access to all of NATS. */
const withdrawnKeys = ['nats-token'] as const

/** Annotation with the source Secret of a copy, as namespace/name. */
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
      `The Secret ${name} of the namespace ${namespace} is not of this installation, so workers cannot run there: delete it, or remove the namespace from operator.watchNamespaces.`,
    )
  const withdrawn = withdrawnKeys.filter((key) => found.data?.[key] !== undefined)
  if (withdrawn.length === 0 && sharedKeys.every((key) => found.data?.[key] === data[key])) return false
  const { resourceVersion } = found.metadata
  const patch = { ...data, ...Object.fromEntries(withdrawn.map((key) => [key, null])) }
  await client.patch(secrets, target, { type: 'merge', body: { metadata: { resourceVersion }, data: patch } })
  return true
}

/**
 * Copies the keys that workers need from an installation's Secret to the other namespaces in which they run, under the
 * same name, and updates existing copies. Returns the namespaces that were written. Throws if such a Secret belongs to
 * another owner.
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
