import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const page = await readFile(new URL('SECURITY.md', root), 'utf8')

/** List items of the page, with their continuation lines. */
const items = page.split(/\n\n|\n(?=- )/).filter((part) => part.startsWith('- '))

/** Items that state only what is not protected: the beginnings of their sentences. */
const limitations = ['Each replica of the edge counts separately', 'Even with `rpc.tls`']

const testPath = /(?:services|test|operator|deploy)\/[\w./-]*\w/g

test('every test that the security page names exists', () => {
  const named = [...page.matchAll(testPath)].map(([path]) => path)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => !existsSync(fileURLToPath(new URL(path, root))))).toEqual([])
})

test('every claim of the security page names its test', () => {
  expect(items.length).toBeGreaterThan(40)
  const isTested = (item: string) => /\[\d+/.test(item) || /`(?:services|test|operator|deploy)\/[\w/.-]+`/.test(item)
  const isLimitation = (item: string) => limitations.some((start) => item.startsWith(`- ${start}`))
  expect(items.filter((item) => !isTested(item) && !isLimitation(item))).toEqual([])
  for (const start of limitations)
    expect(
      items.some((item) => item.startsWith(`- ${start}`)),
      start,
    ).toBe(true)
})

test('every number of a test on the security page has its test, and every test with a number is referred to', () => {
  const numbersIn = (text: string) => [...text.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, list = '']) => list.split(', '))
  const [claims = '', ...notes] = page.split(/^(?=\[1\] )/m)
  const defined = notes.join('').split('\n\n')[0] ?? ''
  const asSet = (numbers: readonly string[]) => [...new Set(numbers)].toSorted()
  expect(asSet(numbersIn(claims))).toEqual(asSet(numbersIn(defined)))
})
