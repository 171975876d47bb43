import { existsSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import { distributed } from './distributed-files.ts'
import { drawnGroups, leftOutOnDistributed } from './drawn-on-distributed.ts'
import { root } from './process.ts'

const files = drawnGroups.flat()

test('the drawn files exist and run on the distributed form', () => {
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(
      distributed.some((glob) => matchesGlob(file, glob)),
      file,
    ).toBe(true)
  }
})

test('a run leaves out all files of a group but one, the same for the same seed', () => {
  const leftOut = leftOutOnDistributed(['run', '--project', 'distributed'], false)
  for (const group of drawnGroups) expect(group.filter((file) => !leftOut.includes(file))).toHaveLength(1)
  expect(leftOutOnDistributed([], false)).toEqual(leftOut)
})

test('a run that names a file leaves out none of its group, and a long run none at all', () => {
  for (const group of drawnGroups)
    for (const file of group) {
      const leftOut = leftOutOnDistributed(['run', `./${file}`], false)
      expect(group.filter((one) => leftOut.includes(one))).toEqual([])
    }
  expect(leftOutOnDistributed([], true)).toEqual([])
})
