import { mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDirectoryFiles, removeAbandonedWrites } from './directory.ts'
import { openFiles } from './open-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trellis-files-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const incoming = () => readdir(join(root, '.incoming'))

test('partial writes of a crash are removed when the owner opens the directory, and never listed', async () => {
  await openDirectoryFiles(root)
  await writeFile(join(root, '.incoming', 'half'), 'half of it')
  const files = await openDirectoryFiles(root)
  expect(await incoming()).toEqual([])
  for await (const { key } of files.list('')) expect(key).toBe('nothing')
})

test('in a shared directory only partial writes older than a day are removed', async () => {
  await openDirectoryFiles(root)
  await writeFile(join(root, '.incoming', 'half'), 'half of it')
  await openFiles({ kind: 'directory', path: root })
  expect(await incoming()).toEqual(['half'])
  await openFiles({ kind: 'directory', path: root }, { recover: false, now: () => Date.now() + 25 * 3_600_000 })
  expect(await incoming()).toEqual(['half'])
  await openFiles({ kind: 'directory', path: root }, { now: () => Date.now() + 25 * 3_600_000 })
  expect(await incoming()).toEqual([])
})

test('a worker that opens the directory with `recover: false` does not remove writes in progress', async () => {
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

test('removeAbandonedWrites removes only the partial writes of the killed process', async () => {
  const files = await openDirectoryFiles(root)
  await writeFile(join(root, '.incoming', '4194300-half'), 'half of it')
  await writeFile(join(root, '.incoming', '419430-half'), 'half of it')
  const hanging = new AbortController()
  const begun = Promise.withResolvers<void>()
  async function* silent() {
    yield Buffer.from('first ')
    begun.resolve()
    await new Promise((resolve) => hanging.signal.addEventListener('abort', resolve))
    yield Buffer.from('second')
  }
  const writing = files.write('a', silent())
  await begun.promise
  await removeAbandonedWrites(root, 4194300)
  const ownerOf = (name: string) => name.slice(0, name.indexOf('-'))
  expect((await incoming()).map(ownerOf).toSorted()).toEqual(['419430', String(process.pid)].toSorted())
  hanging.abort()
  expect(await writing).toEqual({ size: 12 })
})

test('folders that have no more files are removed, up to one that has', async () => {
  const files = await openDirectoryFiles(root)
  for (const key of ['a/b/one', 'a/b/two', 'a/three']) await files.write(key, Buffer.from(key))
  await files.remove('a/b/one')
  expect(await readdir(join(root, 'a'))).toEqual(['b', 'three'])
  await files.remove('a/b/two')
  expect(await readdir(join(root, 'a'))).toEqual(['three'])
  await files.remove('a/three')
  expect(await readdir(root)).toEqual(['.incoming'])
  await files.write('a/b/one', Buffer.from('again'))
  expect(Buffer.from(await files.readRange('a/b/one', { start: 0, end: 5 })).toString()).toBe('again')
})

test('files are written while others in their folders are removed', async () => {
  const files = await openDirectoryFiles(root)
  const rounds = Array.from({ length: 100 }, (_, round) => round)
  const come = async (name: string) => {
    for (const _ of rounds) {
      await files.write(`a/b/c/${name}`, Buffer.from(name))
      await files.remove(`a/b/c/${name}`)
    }
    await files.write(`a/b/c/${name}`, Buffer.from(name))
  }
  const names = ['four', 'one', 'three', 'two']
  let areWriting = true
  /** Another process that removes the last files of these folders. */
  const clear = async () => {
    while (areWriting)
      for (const folder of ['a/b/c', 'a/b', 'a']) await rmdir(join(root, folder)).catch(() => undefined)
  }
  const cleared = clear()
  try {
    await Promise.all(names.map(come))
  } finally {
    areWriting = false
    await cleared
  }
  expect(await readdir(join(root, 'a/b/c'))).toEqual(names)
})
