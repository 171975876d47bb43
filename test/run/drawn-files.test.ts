import { expect, test } from 'vitest'
import { filesNotDrawn, namedFiles } from './drawn-files.ts'
import { type Costs, hashOfText, readCosts } from './expensive-files.ts'

/** Twelve files of three areas, ten seconds each. */
const paths = ['services/logs', 'services/music', 'test/contract'].flatMap((area) =>
  ['a', 'b', 'c', 'd'].map((name) => `${area}/src/${name}.test.ts`),
)
const costs: Costs = Object.fromEntries(
  paths.map((path) => [`embedded:${path}`, { seconds: 10, text: hashOfText(path) }]),
)
const recorded = { costs, textOf: hashOfText }
const drawn = (left: readonly string[]) => Object.keys(costs).filter((key) => !left.includes(key))

test('a run draws files until their seconds are used, the same for the same seed, others for another', () => {
  const left = filesNotDrawn([], { ...recorded, seconds: 65, seed: 1 })
  expect(drawn(left)).toHaveLength(6)
  expect(filesNotDrawn([], { ...recorded, seconds: 65, seed: 1 })).toEqual(left)
  const others = [2, 3, 4, 5].map((seed) => filesNotDrawn([], { ...recorded, seconds: 65, seed }))
  expect(others.some((other) => String(other.toSorted()) !== String(left.toSorted()))).toBe(true)
})

test('every area is drawn from before any is drawn from again', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const areas = drawn(filesNotDrawn([], { ...recorded, seconds: 30, seed })).map((key) => key.split('/src/')[0])
    expect(new Set(areas).size).toBe(3)
  }
})

test('in time, every file is drawn', () => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= 100; seed += 1)
    for (const key of drawn(filesNotDrawn([], { ...recorded, seconds: 30, seed }))) seen.add(key)
  expect(seen.size).toBe(paths.length)
})

test('files that are named, or that have changed since, are not left out', () => {
  const [first = '', second = ''] = paths
  const textOf = (path: string) => hashOfText(path === second ? `${path}, changed` : path)
  const left = filesNotDrawn([`./${first}`], { costs, textOf, seconds: 0, seed: 1 })
  expect(drawn(left)).toEqual([`embedded:${first}`, `embedded:${second}`])
})

test('options of vitest are not taken for names of files', () => {
  expect(namedFiles(['run', '--project=embedded', 'services/logs', '-t', 'a line'])).toEqual([
    'services/logs',
    'a line',
  ])
})

test('a run of everything leaves out nothing', () => {
  expect(filesNotDrawn([], { ...recorded, seconds: Number.POSITIVE_INFINITY, seed: 1 })).toEqual([])
})

test('the recorded files are of projects that run by default', () => {
  const keys = Object.keys(readCosts())
  expect(keys.length).toBeGreaterThan(50)
  expect(keys.filter((key) => !/^(?:embedded|unit|audio|distributed):.*\.test\.ts$/.test(key))).toEqual([])
})
