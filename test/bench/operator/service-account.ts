import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, isNotFound, type KubeObject, loadConfig, resource } from '@trellis/operator/runtime'
import { serviceAccountFolder } from '../../../operator/src/runtime/client/service-account.ts'
import { until } from './api.ts'

type Secret = KubeObject & { type: string; data?: Record<string, string> }
type Binding = KubeObject & { roleRef: object; subjects: object[] }

const core = { group: '', version: 'v1', namespaced: true }
const serviceAccounts = resource({ ...core, plural: 'serviceaccounts', kind: 'ServiceAccount' })
const secrets = resource<Secret>({ ...core, plural: 'secrets', kind: 'Secret' })
const bindings = resource<Binding>({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
})

/** The service account of a process that runs beside the cluster as it would in a pod. */
export type ProcessAccount = AsyncDisposable & {
  /** A command that executes its arguments with the account's files, in a separate mount namespace. */
  launcher: readonly string[]
  environment: Readonly<Record<string, string>>
}

/** Puts the files, the first argument, where a pod has them, then executes the other arguments. */
const script = `mount -t tmpfs tmpfs /var/run && mkdir -p ${serviceAccountFolder} && cp "$1"/* ${serviceAccountFolder} && shift && exec "$@"`

/** Creates an account with all rights; its namespace is the caller's to remove. */
export const createProcessAccount = async (client: Client, namespace: string): Promise<ProcessAccount> => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-bench-account-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const metadata = { name: 'operator', namespace }
  await client.create(serviceAccounts, { metadata })
  await client.create<Binding>(bindings, {
    metadata: { name: namespace },
    roleRef: { apiGroup: bindings.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  })
  opened.defer(() => client.delete(bindings, { name: namespace }).catch(unlessMissing))
  await client.create<Secret>(secrets, {
    metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': metadata.name } },
    type: 'kubernetes.io/service-account-token',
  })
  await until('the account has a token', async () => (await client.get(secrets, metadata)).data?.token !== undefined)
  const { data = {} } = await client.get(secrets, metadata)
  for (const [name, content] of Object.entries(data))
    await writeFile(join(directory, name), Buffer.from(content, 'base64'))
  const { hostname, port } = new URL((await (await loadConfig())()).server)
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user']
  const owned = opened.move()
  return {
    launcher: ['unshare', ...asRoot, '--mount', 'sh', '-c', script, 'sh', directory],
    environment: { HOME: '/nonexistent', KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const unlessMissing = (error: unknown): void => {
  if (!isNotFound(error)) throw error
}
