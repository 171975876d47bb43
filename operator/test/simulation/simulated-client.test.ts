import { describe } from 'vitest'
import type { Client } from '../../src/runtime/mod.ts'
import { testClientContract } from '../client-contract.ts'
import { createWorld, type World } from './mod.ts'

/** Lets the time of the world pass for as long as something takes. */
const during = async <T>({ clock }: World, something: Promise<T>): Promise<T> => {
  let isOver = false
  const over = something.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  await clock.until(() => isOver, 600_000)
  return over
}

describe('the simulated server does what the real one does', () => {
  const world = createWorld({ seed: 1 })
  let simulated: Client | undefined
  world.spawn('test', ({ client }) => {
    simulated = client
  })
  if (!simulated) throw new Error('the process did not start')
  const inner: Client = simulated

  async function* watched<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = events[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await during(world, iterator.next())
        if (done) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }

  const client: Client = {
    get: (resource, ref, options) => during(world, inner.get(resource, ref, options)),
    list: (resource, options) => during(world, inner.list(resource, options)),
    watch: async (resource, options) => watched(await during(world, inner.watch(resource, options))),
    create: (resource, object, options) => during(world, inner.create(resource, object, options)),
    update: (resource, object, options) => during(world, inner.update(resource, object, options)),
    patch: (resource, ref, patch, options) => during(world, inner.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) => during(world, inner.delete(resource, ref, options)),
    getScale: (resource, ref, options) => during(world, inner.getScale(resource, ref, options)),
    setScale: (resource, ref, replicas, options) => during(world, inner.setScale(resource, ref, replicas, options)),
  }

  testClientContract(() => ({ client, namespace: 'default' }))
})
