import { describe } from 'vitest'
import type { Client } from '../../src/runtime/mod.ts'
import { testClientContract } from '../client-contract.ts'
import { createSimulation, type Simulation } from './mod.ts'

/** Advances the simulated clock until a promise has settled. */
const during = async <T>({ clock }: Simulation, something: Promise<T>): Promise<T> => {
  let isOver = false
  const over = something.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  await clock.until(() => isOver, 600_000)
  return over
}

describe('the simulated server fulfils the contract of the real one', () => {
  const simulation = createSimulation({ seed: 1 })
  let simulated: Client | undefined
  simulation.spawn('test', ({ client }) => {
    simulated = client
  })
  if (!simulated) throw new Error('the process did not start')
  const inner: Client = simulated

  async function* watched<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = events[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await during(simulation, iterator.next())
        if (done) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  }

  const client: Client = {
    get: (resource, ref, options) => during(simulation, inner.get(resource, ref, options)),
    list: (resource, options) => during(simulation, inner.list(resource, options)),
    watch: async (resource, options) => watched(await during(simulation, inner.watch(resource, options))),
    create: (resource, object, options) => during(simulation, inner.create(resource, object, options)),
    update: (resource, object, options) => during(simulation, inner.update(resource, object, options)),
    patch: (resource, ref, patch, options) => during(simulation, inner.patch(resource, ref, patch, options)),
    delete: (resource, ref, options) => during(simulation, inner.delete(resource, ref, options)),
    getScale: (resource, ref, options) => during(simulation, inner.getScale(resource, ref, options)),
    setScale: (resource, ref, replicas, options) =>
      during(simulation, inner.setScale(resource, ref, replicas, options)),
  }

  testClientContract(() => ({ client, namespace: 'default' }))
})
