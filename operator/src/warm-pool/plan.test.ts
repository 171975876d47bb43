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
    ['pods that wait for a node hold their slots', several(3, 'held'), {}, 0],
    ['pods that are being deleted hold theirs until they are gone', several(3, 'ending'), {}, 0],
    ['a large pool is filled ten at a time', several(4, 'starting'), { desired: 50 }, 6],
    ['unscheduled pods do not block others', several(20, 'held'), { desired: 50 }, 10],
    ['while runs claim, a healthy pool is not refilled', several(2, 'ready'), { quietIn: 200 }, 0],
    [
      'while runs claim, a pool that runs low gets two at a time',
      several(4, 'ready'),
      { desired: 10, quietIn: 200 },
      2,
    ],
    [
      'and no more until those are ready',
      [...several(4, 'ready'), ...several(2, 'starting')],
      { desired: 10, quietIn: 200 },
      0,
    ],
  ] as [string, Member[], Partial<DesiredPool>, number][])('%s', (_, members, overrides, create) => {
    expect(plan(members, overrides)).toMatchObject({ create, remove: [] })
  })

  test('a refill that waits for quiet is planned again when quiet may begin', () => {
    expect(plan(several(2, 'ready'), { quietIn: 200 }).lookAgainIn).toBe(200)
    expect(plan(several(3, 'ready'), { quietIn: 200 }).lookAgainIn).toBeUndefined()
  })
})

describe('emptying', () => {
  test('outdated pods are removed first, then pods that are not ready, then the youngest', () => {
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

  test('a pod that is being claimed is not removed', () => {
    expect(plan(several(1, 'ready', { isReserved: true }), { desired: 0 }).remove).toEqual([])
  })

  test('pods that are being deleted are not deleted again, nor others in their place', () => {
    expect(plan([...several(3, 'ready'), ...several(2, 'ending')])).toMatchObject({ create: 0, remove: [] })
  })
})

describe('failing', () => {
  test('a failed pod holds its slot until its backoff is over, then is replaced', () => {
    const dead = member('dead', 'dead', { attempt: 2 })
    expect(plan([...several(2, 'ready'), dead])).toMatchObject({ create: 0, remove: [], lookAgainIn: 4_000 })
    const later = plan([...several(2, 'ready'), dead], { now: now + 4_000 })
    expect(later).toMatchObject({ attempts: [3], remove: ['dead'] })
  })

  test('the backoff is limited to five minutes', () => {
    const dead = member('dead', 'dead', { attempt: 30 })
    expect(plan([dead], { desired: 1 }).lookAgainIn).toBe(300_000)
  })

  test('a failed pod without a slot is removed at once', () => {
    expect(plan([...several(3, 'ready'), member('dead', 'dead')])).toMatchObject({ create: 0, remove: ['dead'] })
    expect(plan([member('dead', 'dead')], { desired: 0 })).toMatchObject({ create: 0, remove: ['dead'] })
  })

  test('a failed pod that is due stays, with its logs, while runs claim', () => {
    const dead = member('dead', 'dead', { endedAt: 0 })
    expect(plan([...several(2, 'ready'), dead], { quietIn: 100 })).toMatchObject({ create: 0, remove: [] })
  })

  test('a new pod besides failed ones starts without their failure count', () => {
    const dead = member('dead', 'dead', { endedAt: 0, attempt: 4 })
    expect(plan([dead]).attempts).toEqual([5, 0, 0])
  })
})

describe('a new template', () => {
  const old = { isOutdated: true }

  test('replaces ready workers one at a time, oldest first', () => {
    expect(plan(several(3, 'ready', old))).toMatchObject({ create: 0, remove: ['ready-0'] })
  })

  test('waits for the last replacement', () => {
    expect(plan([...several(2, 'ready', old), member('new', 'starting')])).toMatchObject({ create: 0, remove: [] })
    expect(plan([...several(2, 'ready', old), member('old', 'ending', old)])).toMatchObject({ create: 0, remove: [] })
  })

  test('replaces pods that are not ready at once', () => {
    expect(plan([...several(2, 'starting', old), member('new', 'ready')]).remove).toEqual(['starting-0', 'starting-1'])
  })

  test('replaces the only worker, too, in quiet times', () => {
    expect(plan(several(1, 'ready', old), { desired: 1 }).remove).toEqual(['ready-0'])
    expect(plan(several(1, 'ready', old), { desired: 1, quietIn: 50 })).toMatchObject({ remove: [], lookAgainIn: 50 })
  })
})
