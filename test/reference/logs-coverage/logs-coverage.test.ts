import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { missingTests, pageFile, renderPage, untestedPromises } from './page.ts'

test('every promise of the log service has a test', () => {
  expect(untestedPromises()).toEqual([])
})

test('every referenced test exists with its title', async () => {
  expect(await missingTests()).toEqual([])
})

test('the page is up to date', async () => {
  expect(await readFile(pageFile, 'utf8')).toBe(renderPage())
})
