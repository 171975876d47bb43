import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom, runSeed, runsFactor, shuffled } from '../support/exploration.ts'
import { type Costs, hashOfText, pathOfKey, readCosts } from './expensive-files.ts'
import { root } from './process.ts'

/** Seconds of expensive test files of each kind. */
export type DrawnSeconds = {
  /** Three of these files run at a time. */
  offCluster: number
  /** These run one after another. */
  onCluster: number
}

/** The seconds in a variable, which is a number or `all`; a long run runs all. */
const secondsIn = (variable: string, byDefault: string): number => {
  const value = process.env[variable] || byDefault
  const seconds = value === 'all' || runsFactor >= 10 ? Number.POSITIVE_INFINITY : Number(value)
  if (seconds >= 0) return seconds
  throw new Error(`${variable} is "${value}", but must be a number of seconds from 0, or "all".`)
}

/** Seconds of expensive test files that this run draws. */
export const readDrawnSeconds = (): DrawnSeconds => ({
  offCluster: secondsIn('TEST_DRAWN', '500'),
  onCluster: secondsIn('TEST_DRAWN_ON_CLUSTER', 'all'),
})

/** What every run on a cluster runs. */
const alwaysRun = new Set(['cluster:test/cluster/journey.test.ts'])

export const isOnCluster = (key: string): boolean => key.startsWith('cluster')

/** The arguments of vitest that may name files. */
export const namedFiles = (args: readonly string[]): string[] =>
  args.filter((argument) => argument !== 'run' && !argument.startsWith('-'))

const currentText = (path: string): string =>
  existsSync(join(root, path)) ? hashOfText(readFileSync(join(root, path), 'utf8')) : ''

/** What belongs together: a package, a folder of `test`, or everything on the distributed form. */
const areaOf = (key: string): string => {
  const [project = '', path = ''] = key.split(':')
  if (isOnCluster(key)) return path
  return project === 'distributed' ? project : path.split('/').slice(0, 2).join('/')
}

/** The items of the groups in turn: the first of each, then the second of each. */
const inTurn = <Item>(groups: readonly (readonly Item[])[]): Item[] =>
  Array.from({ length: Math.max(0, ...groups.map(({ length }) => length)) }, (_, index) =>
    groups.flatMap((group) => group.slice(index, index + 1)),
  ).flat()

/** Whether an argument of vitest, a part of a path, selects the file. */
const selects = (argument: string, path: string): boolean => path.includes(argument.replace(/^\.\//, ''))

/** Draws from the keys, from each area in turn, as long as their costs fit into the seconds. Returns the keys that are left out. */
const notDrawn = (keys: readonly string[], costs: Costs, seconds: number, seed: number): string[] => {
  const areas = Object.values(Object.groupBy(shuffled(keys, randomFrom(seed)), areaOf)) as string[][]
  let left = seconds
  return inTurn(areas).filter((key) => {
    const cost = costs[key]?.seconds ?? 0
    if (cost > left) return true
    left -= cost
    return false
  })
}

/**
 * The expensive test files that a run leaves out, as `PROJECT:PATH`. It draws the others by its seed. It leaves out no file that is named, and none
 * that has changed since its cost was recorded.
 */
export const filesNotDrawn = (
  named: readonly string[],
  { costs = readCosts(), seconds = readDrawnSeconds(), seed = runSeed, textOf = currentText } = {} as {
    costs?: Costs
    seconds?: DrawnSeconds
    seed?: number
    textOf?: (path: string) => string
  },
): string[] => {
  const keys = Object.keys(costs).filter((key) => {
    const path = pathOfKey(key)
    const isSame = textOf(path) === costs[key]?.text
    return isSame && !alwaysRun.has(key) && !named.some((argument) => selects(argument, path))
  })
  const { on = [], off = [] } = Object.groupBy(keys, (key) => (isOnCluster(key) ? 'on' : 'off'))
  return [...notDrawn(off, costs, seconds.offCluster, seed), ...notDrawn(on, costs, seconds.onCluster, seed)]
}
