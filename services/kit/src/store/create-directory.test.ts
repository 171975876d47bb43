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

test('a missing directory is created with all above it, also by several processes at once', async () => {
  const path = join(root, 'a', 'b', 'c')
  await Promise.all([1, 2, 3].map(() => createDataDirectory(path)))
  expect((await stat(path)).isDirectory()).toBe(true)
})

test('a file in its place, or on the way, is named', async () => {
  const file = join(root, 'file')
  await writeFile(file, '')
  await expect(createDataDirectory(file)).rejects.toThrow(
    `The data directory ${file} is a file. Set TRELLIS_DATA_DIR to`,
  )
  await expect(createDataDirectory(join(file, 'below', 'it'))).rejects.toThrow(
    `${join(file, 'below', 'it')} cannot be made: ${file} is a file. Set TRELLIS_DATA_DIR to`,
  )
})

test.each(['/proc/trellis/data', '/proc/1/trellis', '/sys/trellis'])('%s is refused at once', async (path) => {
  await expect(createDataDirectory(path)).rejects.toThrow(/^The data directory \S+ \S.* Set TRELLIS_DATA_DIR to/)
})

test('a loop of links is refused', async () => {
  await symlink(join(root, 'loop'), join(root, 'loop'))
  await expect(createDataDirectory(join(root, 'loop', 'x'))).rejects.toThrow('loop of symbolic links')
})

test('a directory of somebody else is named', async () => {
  const path = join(root, 'closed')
  await mkdir(path, { mode: 0o555 })
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    await expect(createDataDirectory(path)).rejects.toThrow(
      `The data directory ${path} may not be written by this user.`,
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
