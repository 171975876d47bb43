import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDataDirectory } from './create-directory.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'trellis-directory-'))
})
afterAll(() => rm(root, { recursive: true }))

test('a missing directory is created with its parents, also concurrently', async () => {
  const path = join(root, 'a', 'b', 'c')
  await Promise.all([1, 2, 3].map(() => createDataDirectory(path)))
  expect((await stat(path)).isDirectory()).toBe(true)
})

test('the error names a file that is in the place of the directory or of a parent', async () => {
  const file = join(root, 'file')
  await writeFile(file, '')
  await expect(createDataDirectory(file)).rejects.toThrow(
    `The data directory ${file} is a file. Set TRELLIS_DATA_DIR to`,
  )
  await expect(createDataDirectory(join(file, 'below', 'it'))).rejects.toThrow(
    `${join(file, 'below', 'it')} cannot be created: ${file} is a file. Set TRELLIS_DATA_DIR to`,
  )
})

test.each(['/proc/trellis/data', '/proc/1/trellis', '/sys/trellis'])('%s is rejected without retries', async (path) => {
  await expect(createDataDirectory(path)).rejects.toThrow(/^The data directory \S+ \S.* Set TRELLIS_DATA_DIR to/)
})

test('a loop of symbolic links is rejected', async () => {
  await symlink(join(root, 'loop'), join(root, 'loop'))
  await expect(createDataDirectory(join(root, 'loop', 'x'))).rejects.toThrow('loop of symbolic links')
})

test('the error names a directory that this user may not write', async () => {
  const path = join(root, 'closed')
  await mkdir(path, { mode: 0o555 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    await expect(createDataDirectory(path)).rejects.toThrow(`The data directory ${path} is not writable by this user.`)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
