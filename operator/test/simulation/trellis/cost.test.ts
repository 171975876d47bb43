import { expect, test } from 'vitest'
import { type Search, searches } from '../../../src/crds/mod.ts'
import type { OperatorKind } from '../../../src/operator.ts'
import { searchKind } from '../../../src/search/mod.ts'
import { pods } from '../../../src/workers/mod.ts'
import { createSimulation } from '../mod.ts'
import { createCluster } from './cluster.ts'
import { fillInDefaults } from './defaults.ts'
import { createUser } from './user.ts'

/** The kind with `count` called at each reconcile. */
const counting =
  (kind: OperatorKind, count: () => void): OperatorKind =>
  (surroundings) => {
    const { manager } = surroundings
    const controller: typeof manager.controller = (options) =>
      manager.controller({
        ...options,
        reconcile: (key, context) => {
          count()
          return options.reconcile(key, context)
        },
      })
    return kind({ ...surroundings, manager: { ...manager, controller } })
  }

/** Reconciles and writes for a Search that ends well, from its creation until its worker has exited. */
const costOf = async (seed: number, replicas: number) => {
  const terminating = [{ resource: pods, milliseconds: 10_000 }]
  const simulation = createSimulation({ seed, terminating, admit: fillInDefaults })
  const { clock, storage } = simulation
  let reconciles = 0
  const { operators, services } = createCluster(simulation, {
    kinds: [counting(searchKind(), () => (reconciles += 1))],
  })
  const user = createUser(simulation, services)
  operators.start()
  if (replicas > 0) user.makePools(replicas)
  await clock.advance(30_000)
  reconciles = 0
  const writes: string[] = []
  storage.onCommit(({ type, resource, object, by }) => {
    const isOfRun = resource.plural === searches.plural || object.metadata.labels?.['trellis.dev/run-id'] !== undefined
    if (isOfRun && by.startsWith('operator')) writes.push(`${type} ${resource.plural}`)
  })
  storage.create(searches, {
    metadata: { name: 'measured', namespace: 'default' },
    spec: { query: 'lamp', ttlSecondsAfterFinished: 3_600 } as Search['spec'],
  })
  const of = () => storage.list(searches)[0]
  await clock.until(() => of()?.status.phase === 'Complete' || of()?.status.phase === 'Failed', 600_000)
  await clock.advance(40_000)
  simulation.end()
  return { phase: of()?.status.phase, reconciles, writes }
}

test.each([
  { kind: 'cold', replicas: 0, writes: ['ADDED pods', 'MODIFIED searches', 'MODIFIED searches'] },
  { kind: 'warm', replicas: 1, writes: ['MODIFIED pods', 'MODIFIED searches', 'MODIFIED searches'] },
])(
  'a $kind Search costs three writes and four reconciles: begun, started, concluded, and its worker gone',
  async ({ replicas, writes }) => {
    const outcomes = []
    for (let seed = 1; seed <= 20; seed += 1) outcomes.push(await costOf(seed, replicas))
    const complete = outcomes.filter(({ phase }) => phase === 'Complete')
    expect(complete.length).toBeGreaterThan(10)
    expect(complete).toEqual(complete.map(() => ({ phase: 'Complete', reconciles: 4, writes })))
  },
)
