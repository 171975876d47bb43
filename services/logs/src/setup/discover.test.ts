import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { hasJournal } from './discover.ts'

test('a journal is found where journalctl can read it', async () => {
  await using folder = await temporaryDirectory()
  const [journal, programs] = [join(folder.path, 'journal'), join(folder.path, 'bin')]
  await mkdir(programs)
  const isFound = () => hasJournal({ journals: [journal], programFolders: ['/none', programs] })
  await writeFile(join(programs, 'journalctl'), '', { mode: 0o755 })
  expect(await isFound()).toBe(false)
  await mkdir(journal)
  expect(await isFound()).toBe(true)
})

test.each([
  ['is missing', undefined],
  ['may not be executed', 0o644],
])('a journal whose program %s, as in a container, is not suggested', async (_, mode) => {
  await using folder = await temporaryDirectory()
  if (mode !== undefined) await writeFile(join(folder.path, 'journalctl'), '', { mode })
  expect(await hasJournal({ journals: [folder.path], programFolders: [folder.path] })).toBe(false)
})
