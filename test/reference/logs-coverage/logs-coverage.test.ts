import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { missingTests, pageFile, renderPage, unheldPromises } from './page.ts'

test('every promise of the log service is held by a test', () => {
  expect(unheldPromises()).toEqual([])
})

test('every test that is named holds its title', async () => {
  expect(await missingTests()).toEqual([])
})

test('the page is as it is generated', async () => {
  expect(await readFile(pageFile, 'utf8')).toBe(renderPage())
})
