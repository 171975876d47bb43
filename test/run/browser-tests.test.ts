import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { browserTests } from './browser-tests.ts'
import { onCluster } from './distributed-files.ts'
import { filesReaching, importsOf, testFiles } from './imports.ts'

const isListed = (file: string): boolean => browserTests.some((part) => file.startsWith(part))

test('every test file that uses a browser is among the browser tests, save those on the cluster', () => {
  const using = filesReaching(testFiles(), (module) =>
    importsOf(module).some(({ from }) => /support\/chromium(?:\.ts)?$|^playwright/.test(from)),
  ).filter((file) => !onCluster.some((glob) => matchesGlob(file, glob)))
  expect(using.length).toBeGreaterThan(10)
  expect(using.filter((file) => !isListed(file))).toEqual([])
})

test('each part of the list selects test files', () => {
  for (const part of browserTests)
    expect(
      testFiles().filter((file) => file.startsWith(part)),
      part,
    ).not.toEqual([])
})
