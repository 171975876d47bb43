import { type Client, type KubeObject, resource } from '../src/runtime/mod.ts'

const quotas = resource<KubeObject & { spec: object }>({
  group: '',
  version: 'v1',
  plural: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
})

/** Creates a ResourceQuota. No quota controller runs here, so the usage stays at 0. */
export const setQuota = async (client: Client, namespace: string, hard: Readonly<Record<string, string>>) => {
  const quota = await client.create(quotas, { metadata: { name: 'few', namespace }, spec: { hard } })
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
  const body = { status: { hard, used } }
  await client.patch(quotas, quota.metadata, { type: 'merge', body }, { subresource: 'status' })
  return { remove: () => client.delete(quotas, quota.metadata) }
}
