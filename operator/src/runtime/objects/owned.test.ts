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

/** What work with a client of a cluster that has two widgets comes to. */
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

test('what is made twice for an owner is made once, and never in the place of what another owns', async () => {
  const [first, second, refusal] = await outcomeOf(async (client, widget, other) => [
    await createOwned(client, parts, draftOf(widget), widget),
    await createOwned(client, parts, draftOf(widget), widget),
    await createOwned(client, parts, draftOf(other), other).catch((error: unknown) => error),
  ])
  expect(second).toEqual(first)
  expect(String(refusal)).toContain('The Part ns/part is not of ns/other')
})

test('only what is there and is its own is found for an owner', async () => {
  const found = await outcomeOf(async (client, widget, other) => {
    const none = await findOwned(client, parts, ref, widget)
    await createOwned(client, parts, draftOf(widget), widget)
    return [none, await findOwned(client, parts, ref, widget), await findOwned(client, parts, ref, other)]
  })
  expect(found).toMatchObject([undefined, { metadata: ref }, undefined])
})

test('an object is removed once, and one that took its name is not', async () => {
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
