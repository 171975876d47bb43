import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomFrom, runSeed, runsFactor, shuffled } from '../support/exploration.ts'
import { type Costs, hashOfText, pathOfKey, readCosts } from './expensive-files.ts'
import { root } from './process.ts'

/** Seconds of expensive test files in a run that does not set TEST_DRAWN; three files run at a time. */
const defaultSeconds = 450

/** Seconds of expensive test files that this run draws. TEST_DRAWN sets them, or is `all`; a long run runs all. */
export const drawnSeconds = ((): number => {
  const value = process.env.TEST_DRAWN || String(defaultSeconds)
  const seconds = value === 'all' || runsFactor >= 10 ? Number.POSITIVE_INFINITY : Number(value)
  if (seconds >= 0) return seconds
  throw new Error(`TEST_DRAWN is "${value}", but must be a number of seconds from 0, or "all".`)
})()

/** The arguments of vitest that may name files. */
export const namedFiles = (args: readonly string[]): string[] =>
  args.filter((argument) => argument !== 'run' && !argument.startsWith('-'))

const currentText = (path: string): string =>
  existsSync(join(root, path)) ? hashOfText(readFileSync(join(root, path), 'utf8')) : ''

/** What belongs together: a package, a folder of `test`, or everything on the distributed form. */
const areaOf = (key: string): string => {
  const [project = '', path = ''] = key.split(':')
  return project === 'distributed' ? project : path.split('/').slice(0, 2).join('/')
}

/** The items of the groups in turn: the first of each, then the second of each. */
const inTurn = <Item>(groups: readonly (readonly Item[])[]): Item[] =>
  Array.from({ length: Math.max(0, ...groups.map(({ length }) => length)) }, (_, index) =>
    groups.flatMap((group) => group.slice(index, index + 1)),
  ).flat()

/** Whether an argument of vitest, a part of a path, selects the file. */
const selects = (argument: string, path: string): boolean => path.includes(argument.replace(/^\.\//, ''))

/**
 * The expensive test files that a run leaves out, as `PROJECT:PATH`. It draws files by its seed, from each area in turn, as long as their costs fit
 * into the seconds. It leaves out no file that is named, and none that has changed since its cost was recorded.
 */
export const filesNotDrawn = (
  named: readonly string[],
  { costs = readCosts(), seconds = drawnSeconds, seed = runSeed, textOf = currentText } = {} as {
    costs?: Costs
    seconds?: number
    seed?: number
    textOf?: (path: string) => string
  },
): string[] => {
  const keys = Object.keys(costs).filter((key) => {
    const path = pathOfKey(key)
    return textOf(path) === costs[key]?.text && !named.some((argument) => selects(argument, path))
  })
  const areas = Object.values(Object.groupBy(shuffled(keys, randomFrom(seed)), areaOf)) as string[][]
  let left = seconds
  return inTurn(areas).filter((key) => {
    const cost = costs[key]?.seconds ?? 0
    if (cost > left) return true
    left -= cost
    return false
  })
}
