import { setTimeout as sleep } from 'node:timers/promises'
import { type Search, searches, type WarmPool, warmPools } from '@trellis/operator/crds'
import {
  type Client,
  createCredentials,
  createHttpClient,
  isNotFound,
  type KubeObject,
  loadConfig,
  type Resource,
  systemClock,
} from '@trellis/operator/runtime'
import { listPages } from '../../../operator/src/runtime/reflector/list-pages.ts'

/** The API server that KUBECONFIG names, as whoever it says. */
export const connectApi = (): Client & AsyncDisposable =>
  createHttpClient({ credentials: createCredentials(() => loadConfig(), systemClock) })

/** Looks again and again until it is so; throws after so many seconds. */
export const until = async (what: string, isSo: () => Promise<boolean>, seconds = 180): Promise<void> => {
  const limit = performance.now() + seconds * 1_000
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(`It did not come about within ${seconds} s: ${what}.`)
    await sleep(100)
  }
}

/** All objects of a kind in a namespace. */
export const listAll = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  namespace: string,
): Promise<readonly T[]> => (await listPages(client, resource, { namespace, limit: 500 })).items

/** Does a step for each of many values, some at a time. */
export const forEach = async <Value>(
  values: readonly Value[],
  width: number,
  step: (value: Value) => Promise<unknown>,
): Promise<void> => {
  const left = values.values()
  const lane = async () => {
    for (const value of left) await step(value)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** The Search of a bench: what it asks for is the same each time. */
export const makeSearch = (client: Client, namespace: string, name: string): Promise<Search> =>
  client.create<Search>(searches, {
    metadata: { name, namespace },
    spec: { query: 'thinkpad', pages: 1 } as Search['spec'],
  })

/** Removes all Searches of a namespace; waits until they are gone. Their pods go with them, a little later. */
export const removeSearches = async (client: Client, namespace: string): Promise<void> => {
  const left = await listAll(client, searches, namespace)
  await forEach(left, 16, ({ metadata }) => client.delete(searches, metadata).catch(unlessMissing))
  await until('the Searches are gone', async () => (await listAll(client, searches, namespace)).length === 0)
}

/** Makes the pool be so large and waits until that many workers wait; 0 removes it. */
export const setPool = async (client: Client, namespace: string, replicas: number): Promise<void> => {
  const ref = { name: 'bench', namespace }
  await client.delete(warmPools, ref).catch(unlessMissing)
  await until('the pool is gone', async () => (await listAll(client, warmPools, namespace)).length === 0)
  if (replicas === 0) return
  await client.create<WarmPool>(warmPools, {
    metadata: ref,
    spec: { workload: 'search', replicas, maxReplicas: 200, idleSeconds: 0 } as WarmPool['spec'],
  })
  await fullPool(client, namespace, replicas)
}

/** Waits until so many workers wait in the pool. */
export const fullPool = (client: Client, namespace: string, replicas: number): Promise<void> =>
  until(
    `${replicas} workers wait`,
    async () => (await client.get(warmPools, { name: 'bench', namespace })).status.readyReplicas === replicas,
    600,
  )

const unlessMissing = (error: unknown): void => {
  if (!isNotFound(error)) throw error
}
