import { expect, test } from 'vitest'
import { isUnchangedBefore, nearOf, type RangeInput, rangeToScore } from './source-range.ts'

const start = Date.UTC(2026, 2, 1)
const at = (seconds: number) => start + seconds * 1000

/** A source with entries at these times, in seconds. */
const sourceOf = (seconds: readonly number[]) => {
  const times = seconds.map(at)
  const countIn: RangeInput['countIn'] = async (since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY) =>
    times.filter((time) => time >= since && time < until).length
  const source = {
    sourceId: 'app',
    entries: times.length,
    bySeverity: [times.length, 0, 0, 0] as [number, number, number, number],
    firstTime: Math.min(...times),
    lastTime: Math.max(...times),
  }
  return { source, countIn }
}
const steady = Array.from({ length: 3_600 }, (_, second) => second)

/** The range to score after more entries arrived in a source that was scored as a whole. */
const rangeAfter = async (before: readonly number[], more: readonly number[]) => {
  const { source, countIn } = sourceOf(before)
  const known = {
    scorer: 'anomaly',
    source_id: 'app',
    entries: source.entries,
    recent: await countIn(source.lastTime - 600_000, source.lastTime + 1),
    seen_until: source.lastTime,
  }
  const near = await nearOf(source.lastTime, countIn)
  const now = sourceOf([...before, ...more])
  const range = await rangeToScore({ source: now.source, known, near, countIn: now.countIn })
  return { near, range, countIn: now.countIn }
}

test('the last two seconds of a source that grows in order are scored again', async () => {
  const { range } = await rangeAfter(steady, [3_600, 3_601])
  expect(range?.since).toBe(at(3_597))
})

test.each([
  ['seconds late: the last ten', 3_595.5, 3_589],
  ['minutes late: the last ten minutes', 3_400.5, 2_999],
  ['long after its time: all', 10.5, 0],
])('range for an entry that arrives %s', async (_, late, since) => {
  const { range } = await rangeAfter(steady, [late, 3_600])
  expect(range?.since).toBe(at(since))
})

test('an older entry that arrives while the range is chosen is detected', async () => {
  const { near, range, countIn } = await rangeAfter(steady, [3_600])
  if (!range) throw new Error('Nothing is to be scored.')
  expect(await isUnchangedBefore(near, range, countIn)).toBe(true)
  expect(await isUnchangedBefore(near, range, sourceOf([...steady, 3_596.5]).countIn)).toBe(false)
  // The function cannot decide for a range that begins before all cached counts.
  expect(await isUnchangedBefore(near, { ...range, since: at(0) }, countIn)).toBe(false)
})
