import { expect, test } from 'vitest'
import { type DrawnSeconds, filesNotDrawn, namedFiles } from './drawn-files.ts'
import { type Costs, hashOfText, readCosts } from './expensive-files.ts'

/** Twelve files of three areas, ten seconds each. */
const paths = ['services/logs', 'services/music', 'test/contract'].flatMap((area) =>
  ['a', 'b', 'c', 'd'].map((name) => `${area}/src/${name}.test.ts`),
)
const costs: Costs = Object.fromEntries(
  paths.map((path) => [`embedded:${path}`, { seconds: 10, text: hashOfText(path) }]),
)
const recorded = { costs, textOf: hashOfText }
const only = (offCluster: number): DrawnSeconds => ({ offCluster, onCluster: 0 })
const drawn = (left: readonly string[]) => Object.keys(costs).filter((key) => !left.includes(key))

test('a run draws files until their seconds are used, the same for the same seed, others for another', () => {
  const left = filesNotDrawn([], { ...recorded, seconds: only(65), seed: 1 })
  expect(drawn(left)).toHaveLength(6)
  expect(filesNotDrawn([], { ...recorded, seconds: only(65), seed: 1 })).toEqual(left)
  const others = [2, 3, 4, 5].map((seed) => filesNotDrawn([], { ...recorded, seconds: only(65), seed }))
  expect(others.some((other) => String(other.toSorted()) !== String(left.toSorted()))).toBe(true)
})

test('every area is drawn from before any is drawn from again', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const areas = drawn(filesNotDrawn([], { ...recorded, seconds: only(30), seed })).map((key) => key.split('/src/')[0])
    expect(new Set(areas).size).toBe(3)
  }
})

test('in time, every file is drawn', () => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= 100; seed += 1)
    for (const key of drawn(filesNotDrawn([], { ...recorded, seconds: only(30), seed }))) seen.add(key)
  expect(seen.size).toBe(paths.length)
})

test('files that are named, or that have changed since, are not left out', () => {
  const [first = '', second = ''] = paths
  const textOf = (path: string) => hashOfText(path === second ? `${path}, changed` : path)
  const left = filesNotDrawn([`./${first}`], { costs, textOf, seconds: only(0), seed: 1 })
  expect(drawn(left)).toEqual([`embedded:${first}`, `embedded:${second}`])
})

test('options of vitest are not taken for names of files', () => {
  expect(namedFiles(['run', '--project=embedded', 'services/logs', '-t', 'a line'])).toEqual([
    'services/logs',
    'a line',
  ])
})

test('a run of everything leaves out nothing', () => {
  expect(filesNotDrawn([], { ...recorded, seconds: only(Number.POSITIVE_INFINITY), seed: 1 })).toEqual([])
})

test('files on a cluster are drawn within seconds of their own, and the journey always runs', () => {
  const paths = ['journey', 'install', 'upgrade', 'faults/faults'].map((name) => `test/cluster/${name}.test.ts`)
  const onCluster = Object.fromEntries(
    paths.map((path) => [`cluster:${path}`, { seconds: 100, text: hashOfText(path) }]),
  )
  const seen = new Set<string>()
  for (let seed = 1; seed <= 20; seed += 1) {
    const seconds = { offCluster: 65, onCluster: 200 }
    const left = filesNotDrawn([], { costs: { ...costs, ...onCluster }, textOf: hashOfText, seconds, seed })
    expect(drawn(left)).toHaveLength(6)
    const ran = Object.keys(onCluster).filter((key) => !left.includes(key))
    expect(ran).toHaveLength(3)
    expect(ran[0]).toBe(`cluster:${paths[0]}`)
    for (const key of ran) seen.add(key)
  }
  expect(seen.size).toBe(paths.length)
})

test('the recorded files are of projects that exist', () => {
  const keys = Object.keys(readCosts())
  expect(keys.length).toBeGreaterThan(50)
  const projects = /^(?:embedded|unit|audio|distributed|cluster|cluster-alone):.*\.test\.ts$/
  expect(keys.filter((key) => !projects.test(key))).toEqual([])
})
