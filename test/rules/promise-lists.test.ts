import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../support/repository-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const listStart = /\bPromise\.(?:all|allSettled|any|race)\(\s*\[/g

/** The text of a list that begins before `start`, up to its closing bracket. */
const listFrom = (text: string, start: number): string => {
  let depth = 1
  let end = start
  for (; depth > 0 && end < text.length; end += 1) {
    if ('([{'.includes(text[end] ?? ' ')) depth += 1
    if (')]}'.includes(text[end] ?? ' ')) depth -= 1
  }
  return text.slice(start, end)
}

/** Lists of promises with an `await` outside of an inner function, by the line that they begin in. */
const awaitingLists = (text: string): number[] =>
  [...text.matchAll(listStart)].flatMap((found) => {
    const [beforeFunctions = ''] = listFrom(text, found.index + found[0].length).split(/\basync\b/)
    return /\bawait\b/.test(beforeFunctions) ? [text.slice(0, found.index).split('\n').length] : []
  })

test('an await in a list of promises is found, and one in a function of the list is not', () => {
  const lists = ['a(), b(await c())', 'a(), async () => await b()', 'a(), b()'].map(
    (list) => `await Promise.all([${list}])`,
  )
  expect(awaitingLists(lists.join('\n'))).toEqual([1])
})

test('no list of promises awaits another one: a promise before it that rejects meanwhile would end the process', async () => {
  const sources = repositoryFiles(root, ['ts']).filter((path) => /^(?:services|operator)\/.*src\//.test(path))
  const found = await Promise.all(
    sources.map(async (path) =>
      awaitingLists(await readFile(join(root, path), 'utf8')).map((line) => `${path}:${line}`),
    ),
  )
  expect(found.flat()).toEqual([])
})
