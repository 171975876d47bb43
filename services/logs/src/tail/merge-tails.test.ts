import { serviceError } from '@trellis/kit/errors'
import type { TailFrame } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { expect, test } from 'vitest'
import { begun, gap, reset } from './frames.ts'
import { decodePositions, encodePositions, mergeTails, type TailBranches, type TailShard } from './merge-tails.ts'

const entry = (eventId: string): TailFrame => ({ eventId, event: { $case: 'gap', value: { missed: 1 } } })

test('positions in several stores are encoded and decoded; one in the own store only is unchanged', () => {
  for (const positions of [
    [['', 'r.1.2']],
    [
      ['', 'r.1.2'],
      ['barn', 'q.3.1'],
    ],
    [
      ['attic', 'a.1.1'],
      ['barn', 'b.2.2'],
    ],
  ] as [string, string][][])
    expect(decodePositions(encodePositions(new Map(positions)))).toEqual(new Map(positions))
  expect(encodePositions(new Map([['', 'r.1.2']]))).toBe('r.1.2')
  expect(decodePositions('')).toEqual(new Map())
  expect(decodePositions('~=~x~y=')).toEqual(new Map())
})

/** A store that yields the next list of frames each time that it is opened; the last stays open. */
const store = (name: string, ...lists: (TailFrame | Error)[][]) => storeAt(name, [], ...lists)
/** The same, beginning at the next of `positions` each time that it is opened. */
const storeAt = (
  name: string,
  positions: readonly string[],
  ...lists: (TailFrame | Error)[][]
): TailShard & { opened: (string | undefined)[] } => {
  const opened: (string | undefined)[] = []
  return {
    name,
    opened,
    async *open(lastEventId, signal) {
      const list = lists[opened.length] ?? []
      opened.push(lastEventId)
      yield begun(positions[opened.length - 1] ?? '')
      for (const frame of list) {
        if (frame instanceof Error) throw frame
        yield frame
      }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
}

/** Reports changes of the branches all the time. */
const refreshOften = (refresh: () => void): (() => void) => {
  const timer = setInterval(refresh, 5)
  return () => clearInterval(timer)
}

const read = async (own: TailShard, branches: () => TailShard[], count: number, lastEventId = '') => {
  const stop = new AbortController()
  using merged = mergeTails({
    own,
    branches: async () => ({ shards: branches(), absent: [] }),
    positions: decodePositions(lastEventId),
    onBranches: refreshOften,
    signal: stop.signal,
  })
  await merged.begun(1_000)
  const ids: string[] = []
  for await (const { eventId, event } of merged.frames()) {
    ids.push(event?.$case === 'gap' && event.value.missed === null ? `gap ${eventId}` : eventId)
    if (ids.length === count) break
  }
  stop.abort()
  return ids
}

test('frames state the position of the reader in all stores', async () => {
  const ids = await read(store('', [entry('o.1.1')]), () => [store('barn', [entry('b.1.1'), entry('b.2.1')])], 3)
  expect(ids.at(-1)).toBe('o.1.1~barn=b.2.1')
})

test('each store is resumed at its own position', async () => {
  const [own, barn] = [store('', [entry('o.2.1')]), store('barn', [entry('b.2.1')])]
  await read(own, () => [barn], 2, 'o.1.1~barn=b.1.1')
  expect(own.opened).toEqual(['o.1.1'])
  expect(barn.opened).toEqual(['b.1.1'])
})

test('a lost branch is resumed at its position; after its restart, a gap reports missing entries', async () => {
  const lost = serviceError('unavailable', 'gone')
  const barn = store('barn', [entry('b.1.1'), lost], [entry('b.2.1'), lost], [reset('n.0.0'), entry('n.1.1')])
  const ids = await read(store(''), () => [barn], 4)
  expect(barn.opened).toEqual([undefined, 'b.1.1', 'b.2.1'])
  expect(ids).toEqual(['~barn=b.1.1', '~barn=b.2.1', 'gap ~barn=n.0.0', '~barn=n.1.1'])
})

test('a branch that is added later is followed from then on, after a gap', async () => {
  const barn = storeAt('barn', ['b.0.0'], [entry('b.1.1')])
  const own = storeAt('', ['o.0.0'])
  let refreshes = 0
  const ids = await read(own, () => (refreshes++ === 0 ? [] : [barn]), 2)
  // A reader that resumes from the gap's id is after it in the branch, too.
  expect(ids).toEqual(['gap o.0.0~barn=b.0.0', 'o.0.0~barn=b.1.1'])
})

test('a gap without an id of its own has the current position of the reader', async () => {
  const ids = await read(store('', [entry('o.1.1'), gap(null), entry('o.2.1')]), () => [], 3)
  expect(ids).toEqual(['o.1.1', 'gap o.1.1', 'o.2.1'])
})

test('the stream fails with the own store, but not with a branch', async () => {
  const broken = store('', [entry('o.1.1'), serviceError('unavailable', 'gone')])
  await expect(read(broken, () => [store('barn', [serviceError('unavailable', 'gone')])], 2)).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

/** The missing branches that each frame names, until `count` frames have named some. */
const readMissing = async (branches: () => Promise<TailBranches>, count: number, awayMilliseconds = 60_000) => {
  const stop = new AbortController()
  using merged = mergeTails({
    own: storeAt('', ['o.0.0']),
    branches,
    positions: new Map(),
    onBranches: refreshOften,
    awayMilliseconds,
    signal: stop.signal,
  })
  await merged.begun(1_000)
  const seen: string[][] = []
  for await (const { event, eventId } of merged.frames()) {
    if (event?.$case !== 'branchesMissing') continue
    expect(eventId).toMatch(/^o\.0\.0/)
    seen.push(event.value.branches)
    if (seen.length === count) break
  }
  stop.abort()
  return seen
}

test('a branch that stops responding is named, and named no more when it is followed again', async () => {
  const lost = serviceError('unavailable', 'gone')
  const lists = [[entry('b.1.1'), lost], [lost], [entry('b.2.1')]]
  let opened = 0
  const barn: TailShard = {
    name: 'barn',
    async *open(_, signal) {
      const list = lists[opened++] ?? []
      // The second connection fails before its first frame.
      if (opened !== 2) yield begun('b.0.0')
      for (const frame of list) {
        if (frame instanceof Error) throw frame
        yield frame
      }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
  expect(await readMissing(async () => ({ shards: [barn], absent: [] }), 2)).toEqual([['barn'], []])
})

test('a branch that was stopped and started between two lists is followed by its new connection', async () => {
  let isClosed = false
  const first: TailShard = {
    name: 'barn',
    async *open() {
      if (!isClosed) yield begun('b.0.0')
      isClosed = true
      throw serviceError('unavailable', 'closed')
    },
  }
  const branches = async () => ({ shards: [isClosed ? store('barn', [entry('c.1.1')]) : first], absent: [] })
  const stop = new AbortController()
  using merged = mergeTails({
    own: store(''),
    branches,
    positions: new Map(),
    onBranches: refreshOften,
    signal: stop.signal,
  })
  await merged.begun(1_000)
  for await (const { eventId } of merged.frames()) if (eventId.endsWith('barn=c.1.1')) break
  stop.abort()
})

test('a branch that accepts the connection and sends nothing is named', async () => {
  const barn: TailShard = {
    name: 'barn',
    async *open(_, signal) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
  expect(await readMissing(async () => ({ shards: [barn], absent: [] }), 1, 10)).toEqual([['barn']])
})

test('branches that cannot be opened are named, from the start and when they change', async () => {
  const absences = [['barn'], ['attic', 'barn'], ['attic', 'barn'], []]
  let refreshes = 0
  const branches = async () => ({ shards: [], absent: absences[refreshes++] ?? [] })
  const seen = await readMissing(branches, 3)
  expect(seen).toEqual([['barn'], ['attic', 'barn'], []])
})

test('the stream fails when its branches cannot be selected any more, because the named one was deleted', async () => {
  let refreshes = 0
  const branches = async () => {
    if (refreshes++ > 0) throw serviceError('invalid', 'There is no branch "barn".')
    return { shards: [], absent: ['barn'] }
  }
  await expect(readMissing(branches, 2)).rejects.toMatchObject({ kind: 'invalid' })
})
