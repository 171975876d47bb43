import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { covered, missingTests, pageFile, renderPage, untestedPromises } from './page.ts'

describe.each(covered)('the $service service', (requirements) => {
  test('has a test for every promise', () => {
    expect(untestedPromises(requirements)).toEqual([])
  })

  test('has every referenced test, with its title', async () => {
    expect(await missingTests(requirements)).toEqual([])
  })

  test('has a page that is up to date', async () => {
    expect(await readFile(pageFile(requirements), 'utf8')).toBe(renderPage(requirements))
  })
})
