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

/** A client of the API server in KUBECONFIG, authenticated as its user. */
export const connectApi = (): Client & AsyncDisposable =>
  createHttpClient({ credentials: createCredentials(() => loadConfig(), systemClock) })

/** Polls until the condition holds; throws after `seconds`. */
export const until = async (what: string, isSo: () => Promise<boolean>, seconds = 180): Promise<void> => {
  const limit = performance.now() + seconds * 1_000
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(`The condition did not hold within ${seconds} s: ${what}.`)
    await sleep(100)
  }
}

/** All objects of a kind in a namespace. */
export const listAll = async <T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  namespace: string,
): Promise<readonly T[]> => (await listPages(client, resource, { namespace, limit: 500 })).items

/** Runs a step for each value with `width` steps in parallel. */
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

/** Creates a Search for a bench; all have the same spec. */
export const makeSearch = (client: Client, namespace: string, name: string): Promise<Search> =>
  client.create<Search>(searches, {
    metadata: { name, namespace },
    spec: { query: 'thinkpad', pages: 1 } as Search['spec'],
  })

/** Deletes all Searches of a namespace and waits until they are gone. Their pods are garbage-collected a little later. */
export const removeSearches = async (client: Client, namespace: string): Promise<void> => {
  const left = await listAll(client, searches, namespace)
  await forEach(left, 16, ({ metadata }) => client.delete(searches, metadata).catch(unlessMissing))
  await until('the Searches are gone', async () => (await listAll(client, searches, namespace)).length === 0)
}

/** Recreates the pool with `replicas` and waits until all its workers are idle; 0 only deletes it. */
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

/** Waits until the pool has `replicas` idle workers. */
export const fullPool = (client: Client, namespace: string, replicas: number): Promise<void> =>
  until(
    `${replicas} workers are idle`,
    async () => (await client.get(warmPools, { name: 'bench', namespace })).status.readyReplicas === replicas,
    600,
  )

const unlessMissing = (error: unknown): void => {
  if (!isNotFound(error)) throw error
}
