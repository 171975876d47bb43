import { expect, test } from 'vitest'
import { calm, createSimulation } from '../../../test/simulation/mod.ts'
import type { Client } from '../client/client.ts'
import type { KubeObject } from './object.ts'
import { createOwned, findOwned, remove } from './owned.ts'
import { ownerReference } from './owners.ts'
import { resource } from './resource.ts'

const widgets = resource({ group: 'example.test', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true })
const parts = resource({ group: 'example.test', version: 'v1', plural: 'parts', kind: 'Part', namespaced: true })
const ref = { name: 'part', namespace: 'ns' }

const draftOf = (owner: KubeObject) => ({ metadata: { ...ref, ownerReferences: [ownerReference(widgets, owner)] } })

/** Runs `work` with a client of a simulated cluster that has two widgets, and returns its result. */
const outcomeOf = async <T>(
  work: (client: Client, widget: KubeObject, other: KubeObject) => Promise<T>,
): Promise<T> => {
  const simulation = createSimulation({ seed: 1, faults: calm })
  const [widget, other] = ['widget', 'other'].map((name) =>
    simulation.storage.create(widgets, { metadata: { name, namespace: 'ns' } }),
  ) as [KubeObject, KubeObject]
  const outcome = Promise.withResolvers<T>()
  simulation.spawn('process', ({ client }) => {
    work(client, widget, other).then(outcome.resolve, outcome.reject)
  })
  await simulation.clock.advance(10_000)
  return outcome.promise
}

test('createOwned is idempotent for an owner, and rejects a name that another owner holds', async () => {
  const [first, second, refusal] = await outcomeOf(async (client, widget, other) => [
    await createOwned(client, parts, draftOf(widget), widget),
    await createOwned(client, parts, draftOf(widget), widget),
    await createOwned(client, parts, draftOf(other), other).catch((error: unknown) => error),
  ])
  expect(second).toEqual(first)
  expect(String(refusal)).toContain('The Part ns/part exists but is not controlled by ns/other')
})

test('findOwned finds only existing objects of that owner', async () => {
  const found = await outcomeOf(async (client, widget, other) => {
    const none = await findOwned(client, parts, ref, widget)
    await createOwned(client, parts, draftOf(widget), widget)
    return [none, await findOwned(client, parts, ref, widget), await findOwned(client, parts, ref, other)]
  })
  expect(found).toMatchObject([undefined, { metadata: ref }, undefined])
})

test('removing an object is idempotent and spares a new object of the same name', async () => {
  const left = await outcomeOf(async (client, widget) => {
    const first = await createOwned(client, parts, draftOf(widget), widget)
    await remove(client, parts, first)
    await remove(client, parts, first)
    const second = await createOwned(client, parts, draftOf(widget), widget)
    await remove(client, parts, first)
    return { second, found: await findOwned(client, parts, ref, widget) }
  })
  expect(left.found).toEqual(left.second)
})
