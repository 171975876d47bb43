import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDirectoryFiles } from './directory.ts'
import { openFiles } from './open-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trellis-files-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const incoming = () => readdir(join(root, '.incoming'))

test('what a crash left half-written is cleared when the owner opens the directory, and never listed', async () => {
  await openDirectoryFiles(root)
  await writeFile(join(root, '.incoming', 'half'), 'half of it')
  const files = await openDirectoryFiles(root)
  expect(await incoming()).toEqual([])
  for await (const { key } of files.list('')) expect(key).toBe('nothing')
})

test('of a directory that processes share only what has lain half-written for a day is cleared', async () => {
  await openDirectoryFiles(root)
  await writeFile(join(root, '.incoming', 'half'), 'half of it')
  await openFiles({ kind: 'directory', path: root })
  expect(await incoming()).toEqual(['half'])
  await openFiles({ kind: 'directory', path: root }, { recover: false, now: () => Date.now() + 25 * 3_600_000 })
  expect(await incoming()).toEqual(['half'])
  await openFiles({ kind: 'directory', path: root }, { now: () => Date.now() + 25 * 3_600_000 })
  expect(await incoming()).toEqual([])
})

test('a worker that opens the same directory leaves the writes of others alone', async () => {
  const owner = await openDirectoryFiles(root)
  const opened = Promise.withResolvers<void>()
  async function* slowly() {
    yield Buffer.from('first ')
    await opened.promise
    yield Buffer.from('second')
  }
  const writing = owner.write('a', slowly())
  const worker = await openDirectoryFiles(root, { recover: false })
  opened.resolve()
  await writing
  expect(Buffer.from(await worker.readRange('a', { start: 0, end: 99 })).toString()).toBe('first second')
})
