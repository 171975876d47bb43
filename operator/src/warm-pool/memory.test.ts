import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../../test/simulation/mod.ts'
import type { WarmPool } from '../crds/mod.ts'
import { createStore } from '../runtime/mod.ts'
import { annotation, label, type Pod } from '../workers/mod.ts'
import { createDemand } from './demand.ts'
import { poolIndexes } from './idle-pods.ts'
import { createLedger } from './ledger.ts'
import { slotName } from './pool-pod.ts'
import { restOf } from './rest.ts'
import { createSlots } from './slots.ts'

const pool = (more: Partial<WarmPool['spec']> = {}, status: Partial<WarmPool['status']> = {}): WarmPool => ({
  metadata: { name: 'pool', namespace: 'default', uid: 'pool-uid', resourceVersion: '1', generation: 1 },
  spec: { workload: 'search', replicas: 3, maxReplicas: 50, idleSeconds: 0, ...more },
  status: { observedGeneration: 1, ...status } as WarmPool['status'],
})

const podIn = (slot: number, more: Record<string, string> = {}): Pod => ({
  metadata: {
    name: slotName(pool(), slot),
    namespace: 'default',
    uid: `pod-${slot}`,
    resourceVersion: String(slot + 1),
    labels: { [label.slot]: String(slot) },
    annotations: { [annotation.poolUid]: 'pool-uid', ...more },
  },
})

const podStore = () => createStore<Pod>({ indexes: poolIndexes, freeze: true })

describe('demand', () => {
  const demandKey = { namespace: 'default', workload: 'search' } as const

  test('is quiet 300 ms after the only request, and not while one is open', async () => {
    const clock = createVirtualClock()
    const demand = createDemand({ clock })
    expect(demand.quietIn(demandKey)).toBe(0)
    const { granted } = demand.requested(demandKey)
    await clock.advance(5_000)
    expect(demand.quietIn(demandKey)).toBeGreaterThan(0)
    granted()
    expect(demand.quietIn(demandKey)).toBe(0)
    demand.requested(demandKey).granted()
    expect(demand.quietIn({ ...demandKey, namespace: 'other' })).toBe(0)
  })

  test('waits twice the usual gap between runs, so that the next run meets no starting pod', async () => {
    const clock = createVirtualClock()
    const demand = createDemand({ clock })
    for (let run = 0; run < 20; run += 1) {
      demand.requested(demandKey).granted()
      await clock.advance(1_000)
    }
    expect(demand.quietIn(demandKey)).toBeCloseTo(1_000, -1)
    await clock.advance(1_000)
    expect(demand.quietIn(demandKey)).toBe(0)
  })

  test('reports the last request, and notifies handlers at once', () => {
    const clock = createVirtualClock()
    const demand = createDemand({ clock })
    const received: object[] = []
    demand.onRequested((requested) => received.push(requested))
    expect(demand.lastRequested(demandKey)).toBeUndefined()
    demand.requested(demandKey)
    expect(demand.lastRequested(demandKey)).toBe(clock.now())
    expect(received).toEqual([demandKey])
  })
})

describe('the count of claims', () => {
  const ref = { name: 'pool', namespace: 'default', uid: 'pool-uid' }

  test('continues from the maximum of the status and the claimed pods', () => {
    const [pods, pools] = [podStore(), createStore<WarmPool>()]
    pools.put(pool({}, { claimed: 4 }))
    expect(createLedger({ pods, pools }).count(ref)).toBe(4)
    pods.put(podIn(0, { [annotation.claim]: '6' }))
    const ledger = createLedger({ pods, pools })
    expect(ledger.count(ref)).toBe(6)
    expect(ledger.next(ref)).toBe(7)
  })

  test('excludes claims that certainly failed', () => {
    const ledger = createLedger({ pods: podStore(), pools: createStore<WarmPool>() })
    const [first, second] = [ledger.next(ref), ledger.next(ref)]
    ledger.release(ref, first)
    expect(ledger.count(ref)).toBe(1)
    expect(ledger.next(ref)).toBe(first)
    expect(ledger.next(ref)).toBe(second + 1)
  })

  test('does not inherit the count of a former pool of the same name', () => {
    const pools = createStore<WarmPool>()
    pools.put(pool({}, { claimed: 4 }))
    expect(createLedger({ pods: podStore(), pools }).count({ ...ref, uid: 'another' })).toBe(0)
  })
})

describe('slots', () => {
  test('are the smallest with free names, excluding those of claimed pods', () => {
    const [pods, clock] = [podStore(), createVirtualClock()]
    for (const slot of [0, 2]) pods.put(podIn(slot))
    expect(createSlots({ pods, clock }).choose(pool(), 3, 3)).toEqual([1, 3, 4])
  })

  test('that were requested but not seen are requested again first, while the request may linger', async () => {
    const [pods, clock] = [podStore(), createVirtualClock()]
    const slots = createSlots({ pods, clock })
    slots.requested(pool(), 5)
    expect(slots.choose(pool(), 2, 2)).toEqual([5, 0])
    expect(slots.choose(pool(), 1, 1)).toEqual([5])
    // It may arrive late in addition to a pod in another slot, which would be one too many.
    expect(slots.choose(pool(), 0, 0)).toEqual([])
    pods.put(podIn(5))
    expect(slots.choose(pool(), 1, 1)).toEqual([0])
    pods.remove(podIn(5))
    await clock.advance(90_000)
    expect(slots.choose(pool(), 1, 1)).toEqual([0])
  })
})

describe('rest', () => {
  const at = Date.UTC(2030, 0, 1)
  const facts = { origin: [], lastRequested: undefined, seenSince: at, now: at }

  test('never happens unless it is configured', () => {
    expect(restOf({ ...facts, pool: pool(), now: at + 1e9 })).toEqual({ isResting: false, restsIn: undefined })
  })

  test('starts idleSeconds after the last claim, which claimed pods record', () => {
    const napping = pool({ idleSeconds: 60 })
    const claimed = podIn(0, { [annotation.claimedAt]: new Date(at + 30_000).toISOString() })
    expect(restOf({ ...facts, pool: napping, now: at + 45_000 })).toEqual({ isResting: false, restsIn: 15_000 })
    expect(restOf({ ...facts, pool: napping, now: at + 60_000 })).toEqual({ isResting: true })
    expect(restOf({ ...facts, pool: napping, now: at + 60_000, origin: [claimed] })).toMatchObject({ restsIn: 30_000 })
    expect(restOf({ ...facts, pool: napping, now: at + 60_000, lastRequested: at + 50_000 })).toMatchObject({
      restsIn: 50_000,
    })
  })

  test('survives a new operator until a run requests a worker or the spec changes', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Resting', message: '', lastTransitionTime: '' } as const
    const resting = pool({ idleSeconds: 60 }, { conditions: [{ ...ready, observedGeneration: 1 }] })
    expect(restOf({ ...facts, pool: resting })).toEqual({ isResting: true })
    expect(restOf({ ...facts, pool: resting, lastRequested: at })).toMatchObject({ isResting: false })
    const changed = { ...resting, metadata: { ...resting.metadata, generation: 2 } }
    expect(restOf({ ...facts, pool: changed })).toMatchObject({ isResting: false })
  })
})
