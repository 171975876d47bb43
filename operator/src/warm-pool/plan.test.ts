import { describe, expect, test } from 'vitest'
import type { Member } from './member.ts'
import { type DesiredPool, planPool } from './plan.ts'

const now = 1_000_000

const member = (name: string, kind: Member['kind'], more: Partial<Member> = {}): Member => ({
  pod: { metadata: { name, uid: name, resourceVersion: '1' } },
  state: kind === 'dead' ? { kind: 'failed', cause: 'Crashed', message: '', endedAt: now } : { kind: 'running' },
  kind,
  isOutdated: false,
  isReserved: false,
  attempt: 0,
  createdAt: 0,
  endedAt: now,
  ...more,
})

const several = (count: number, kind: Member['kind'], more: Partial<Member> = {}): Member[] =>
  Array.from({ length: count }, (_, at) => member(`${kind}-${at}`, kind, { createdAt: at, ...more }))

const plan = (members: readonly Member[], overrides: Partial<DesiredPool> = {}) => {
  const { create, remove, lookAgainIn } = planPool(members, { desired: 3, quietIn: 0, now, ...overrides })
  return { create: create.length, attempts: create, remove: remove.map(({ pod }) => pod.metadata.name), lookAgainIn }
}

describe('filling', () => {
  test.each([
    ['an empty pool is filled', [], {}, 3],
    ['a full one is left alone', several(3, 'ready'), {}, 0],
    ['pods that wait for a node have their places', several(3, 'held'), {}, 0],
    ['pods that are being ended have theirs, until they are gone', several(3, 'ending'), {}, 0],
    ['a large pool is filled ten at a time', several(4, 'starting'), { desired: 50 }, 6],
    ['those that no node takes yet hold up nobody', several(20, 'held'), { desired: 50 }, 10],
    ['while runs claim, a healthy pool is left alone', several(2, 'ready'), { quietIn: 200 }, 0],
    ['while runs claim, one that runs low gets two at a time', several(4, 'ready'), { desired: 10, quietIn: 200 }, 2],
    [
      'and no more until those are ready',
      [...several(4, 'ready'), ...several(2, 'starting')],
      { desired: 10, quietIn: 200 },
      0,
    ],
  ] as [string, Member[], Partial<DesiredPool>, number][])('%s', (_, members, overrides, create) => {
    expect(plan(members, overrides)).toMatchObject({ create, remove: [] })
  })

  test('a refill that waits for quiet is looked at again when that may have come', () => {
    expect(plan(several(2, 'ready'), { quietIn: 200 }).lookAgainIn).toBe(200)
    expect(plan(several(3, 'ready'), { quietIn: 200 }).lookAgainIn).toBeUndefined()
  })
})

describe('emptying', () => {
  test('old templates go first, then what is not ready, then the youngest', () => {
    const members = [
      ...several(2, 'ready'),
      member('starting', 'starting'),
      member('old', 'ready', { isOutdated: true }),
    ]
    expect(plan(members, { desired: 3 }).remove).toEqual(['old'])
    expect(plan(members, { desired: 2 }).remove).toEqual(['old', 'starting'])
    expect(plan(members, { desired: 1 }).remove).toEqual(['old', 'starting', 'ready-1'])
    expect(plan(members, { desired: 0 }).remove).toHaveLength(4)
  })

  test('a pod that is being claimed is left alone', () => {
    expect(plan(several(1, 'ready', { isReserved: true }), { desired: 0 }).remove).toEqual([])
  })

  test('pods that are being ended are not asked twice, nor others in their place', () => {
    expect(plan([...several(3, 'ready'), ...several(2, 'ending')])).toMatchObject({ create: 0, remove: [] })
  })
})

describe('failing', () => {
  test('one that has failed keeps its place until the wait is over, then goes and is replaced', () => {
    const dead = member('dead', 'dead', { attempt: 2 })
    expect(plan([...several(2, 'ready'), dead])).toMatchObject({ create: 0, remove: [], lookAgainIn: 4_000 })
    const later = plan([...several(2, 'ready'), dead], { now: now + 4_000 })
    expect(later).toMatchObject({ attempts: [3], remove: ['dead'] })
  })

  test('the waits grow to five minutes and no further', () => {
    const dead = member('dead', 'dead', { attempt: 30 })
    expect(plan([dead], { desired: 1 }).lookAgainIn).toBe(300_000)
  })

  test('one for which there is no place goes at once', () => {
    expect(plan([...several(3, 'ready'), member('dead', 'dead')])).toMatchObject({ create: 0, remove: ['dead'] })
    expect(plan([member('dead', 'dead')], { desired: 0 })).toMatchObject({ create: 0, remove: ['dead'] })
  })

  test('one that is due stays, with its logs, while runs claim', () => {
    const dead = member('dead', 'dead', { endedAt: 0 })
    expect(plan([...several(2, 'ready'), dead], { quietIn: 100 })).toMatchObject({ create: 0, remove: [] })
  })

  test('a new pod beside those that failed is not held against it', () => {
    const dead = member('dead', 'dead', { endedAt: 0, attempt: 4 })
    expect(plan([dead]).attempts).toEqual([5, 0, 0])
  })
})

describe('a new template', () => {
  const old = { isOutdated: true }

  test('replaces ready workers one at a time, the oldest first', () => {
    expect(plan(several(3, 'ready', old))).toMatchObject({ create: 0, remove: ['ready-0'] })
  })

  test('waits for the last one that it replaced', () => {
    expect(plan([...several(2, 'ready', old), member('new', 'starting')])).toMatchObject({ create: 0, remove: [] })
    expect(plan([...several(2, 'ready', old), member('old', 'ending', old)])).toMatchObject({ create: 0, remove: [] })
  })

  test('replaces what is not ready at once: nobody misses it', () => {
    expect(plan([...several(2, 'starting', old), member('new', 'ready')]).remove).toEqual(['starting-0', 'starting-1'])
  })

  test('replaces the only worker, too, in quiet times', () => {
    expect(plan(several(1, 'ready', old), { desired: 1 }).remove).toEqual(['ready-0'])
    expect(plan(several(1, 'ready', old), { desired: 1, quietIn: 50 })).toMatchObject({ remove: [], lookAgainIn: 50 })
  })
})
