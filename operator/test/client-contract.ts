import { expect, test } from 'vitest'
import {
  addFinalizer,
  type Client,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeObject,
  removeFinalizer,
  resource,
  type WatchEvent,
} from '../src/runtime/mod.ts'

type Deployment = KubeObject & {
  spec?: { replicas?: number; paused?: boolean } & Record<string, unknown>
  status?: { replicas?: number }
}

/** A built-in kind with status and scale subresources. */
export const deployments = resource<Deployment>({
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
})

const labels = { app: 'x' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const spec = { replicas: 1, selector: { matchLabels: labels }, template }

/** A client of an API server and an existing namespace. */
export type ClientUnderTest = { client: Client; namespace: string }

/**
 * The behaviour of the API that reconcilers rely on. It runs against the real server and the simulated one, so that results from
 * the simulation hold for the real server.
 */
export const testClientContract = (get: () => ClientUnderTest): void => {
  const create = async (name: string) => {
    const { client, namespace } = get()
    return client.create(deployments, { metadata: { name, namespace }, spec })
  }

  test('a name can be created only once', async () => {
    const made = await create('once')
    expect(made.metadata).toMatchObject({ name: 'once', generation: 1 })
    expect(made.metadata.uid).toBeTruthy()
    await expect(create('once')).rejects.toSatisfy(isAlreadyExists)
    const { client, namespace } = get()
    const metadata = { generateName: 'once-', namespace }
    const names = [
      (await client.create(deployments, { metadata, spec })).metadata.name,
      (await client.create(deployments, { metadata, spec })).metadata.name,
    ]
    expect(new Set(names).size).toBe(2)
    expect(names.every((name) => name.startsWith('once-'))).toBe(true)
  })

  test('the second of two updates from the same version gets a conflict', async () => {
    const held = await create('conflict')
    const { client } = get()
    const update = (replicas: number) => client.update(deployments, { ...held, spec: { ...held.spec, replicas } })
    await update(2)
    await expect(update(3)).rejects.toSatisfy(isConflict)
    const stale = { metadata: { resourceVersion: held.metadata.resourceVersion }, spec: { replicas: 4 } }
    await expect(client.patch(deployments, held.metadata, { type: 'merge', body: stale })).rejects.toSatisfy(isConflict)
    expect((await client.get(deployments, held.metadata)).spec?.replicas).toBe(2)
  })

  test('the generation increases only when the spec changes', async () => {
    const { metadata } = await create('generation')
    const { client } = get()
    const merge = (body: object, subresource?: 'status') =>
      client.patch(deployments, metadata, { type: 'merge', body }, subresource ? { subresource } : {})
    expect((await merge({ metadata: { labels: { colour: 'red' } } })).metadata.generation).toBe(1)
    expect((await merge({ status: { replicas: 1 } }, 'status')).metadata.generation).toBe(1)
    expect((await merge({ spec: { replicas: 5 } })).metadata.generation).toBe(2)
  })

  test('a patch that changes nothing leaves the resourceVersion alone', async () => {
    const held = await create('same')
    const { client } = get()
    const patched = await client.patch(deployments, held.metadata, { type: 'merge', body: { spec: { replicas: 1 } } })
    expect(patched.metadata.resourceVersion).toBe(held.metadata.resourceVersion)
  })

  test('status, spec and scale are written separately, each through its own endpoint', async () => {
    const { metadata } = await create('parts')
    const { client } = get()
    const body = { status: { replicas: 1 }, spec: { replicas: 9 } }
    await client.patch(deployments, metadata, { type: 'merge', body }, { subresource: 'status' })
    expect(await client.get(deployments, metadata)).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } })
    await client.patch(deployments, metadata, { type: 'merge', body: { status: { replicas: 7 } } })
    expect((await client.get(deployments, metadata)).status?.replicas).toBe(1)
    await client.setScale(deployments, metadata, 4)
    expect((await client.getScale(deployments, metadata)).spec?.replicas).toBe(4)
    expect((await client.get(deployments, metadata)).spec?.replicas).toBe(4)
  })

  test('a JSON patch is applied as a whole or not at all', async () => {
    const { metadata } = await create('json')
    const { client } = get()
    const replace = { op: 'replace', path: '/spec/replicas', value: 3 } as const
    const isPaused = { op: 'test', path: '/spec/paused', value: true } as const
    await expect(
      client.patch(deployments, metadata, { type: 'json', body: [replace, isPaused] }),
    ).rejects.toMatchObject({ status: 422 })
    expect((await client.get(deployments, metadata)).spec?.replicas).toBe(1)
    expect((await client.patch(deployments, metadata, { type: 'json', body: [replace] })).spec?.replicas).toBe(3)
  })

  test('a deletion with a uid precondition deletes only that object', async () => {
    const { metadata } = await create('deleted')
    const { client } = get()
    await expect(client.delete(deployments, metadata, { preconditions: { uid: 'another' } })).rejects.toSatisfy(
      isConflict,
    )
    await client.delete(deployments, metadata, { preconditions: { uid: metadata.uid } })
    await expect(client.get(deployments, metadata)).rejects.toSatisfy(isNotFound)
    await expect(client.delete(deployments, metadata)).rejects.toSatisfy(isNotFound)
  })

  test('a finalizer keeps an object until it is removed', async () => {
    const held = await create('final')
    const { client } = get()
    const retained = await addFinalizer(client, deployments, held, 'example.test/clean')
    await client.delete(deployments, held.metadata)
    const ending = await client.get(deployments, held.metadata)
    expect(ending.metadata.deletionTimestamp).toBeDefined()
    await expect(removeFinalizer(client, deployments, retained, 'example.test/clean')).rejects.toSatisfy(isConflict)
    await removeFinalizer(client, deployments, ending, 'example.test/clean')
    await expect(client.get(deployments, held.metadata)).rejects.toSatisfy(isNotFound)
    await removeFinalizer(client, deployments, ending, 'example.test/clean')
  })

  test('a list pages at one version, and a watch from it delivers later changes with increasing versions', async () => {
    const { client, namespace } = get()
    await create('page')
    const first = await client.list(deployments, { namespace, limit: 1 })
    expect(first.items).toHaveLength(1)
    const rest = await client.list(deployments, { namespace, continue: first.continue ?? '' })
    expect(rest.resourceVersion).toBe(first.resourceVersion)
    expect(rest.continue).toBeUndefined()
    const { metadata } = await create('watched')
    await client.patch(deployments, metadata, { type: 'merge', body: { spec: { replicas: 2 } } })
    await client.delete(deployments, metadata, { propagationPolicy: 'Background' })
    const stop = new AbortController()
    const reported: WatchEvent<Deployment>[] = []
    const options = { namespace, resourceVersion: rest.resourceVersion, timeoutSeconds: 60, signal: stop.signal }
    for await (const event of await client.watch(deployments, options)) {
      if (event.type !== 'BOOKMARK') reported.push(event)
      if (reported.length === 3) break
    }
    stop.abort()
    expect(reported.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED'])
    const versions = reported.map(({ object }) => Number((object as Deployment).metadata.resourceVersion))
    expect([...versions].sort((a, b) => a - b)).toEqual(versions)
    expect(new Set(versions).size).toBe(3)
  })
}
