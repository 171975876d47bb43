import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isInLogFolderOf, isWithin, logFolders } from './folders.ts'
import { createLocalFiles, type LocalFiles } from './local-files.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let files: LocalFiles
const at = (...parts: string[]) => join(folder.path, ...parts)

beforeAll(async () => {
  folder = await temporaryDirectory()
  for (const name of ['logs', 'elsewhere', 'inbox', 'apps', 'apps/shop', 'apps/shop/logs']) await mkdir(at(name))
  await symlink(at('logs'), at('named'))
  for (const name of ['logs/app.log', 'elsewhere/secret', 'apps/shop/.env', 'apps/shop/logs/web.log'])
    await writeFile(at(name), `content of ${name}`)
  files = createLocalFiles({
    folders: [at('named')],
    applications: [at('apps')],
    inbox: at('inbox'),
    privateFolders: [],
    secretFiles: [],
  })
})
afterAll(() => folder?.[Symbol.asyncDispose]())

const read = async (path: string, addedBy: 'api' | 'administrator' = 'api'): Promise<string> => {
  try {
    await using handle = await files.for(addedBy).open(path)
    return await handle.readFile('utf8')
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : ''}`
  }
}

test('a configured folder that is a link allows its target', async () => {
  expect(await read(at('logs', 'app.log'))).toBe('content of logs/app.log')
  expect(await read(at('named', 'app.log'))).toBe('content of logs/app.log')
})

test('in a folder of applications only files in log folders are read', async () => {
  expect(await read(at('apps/shop/logs/web.log'))).toBe('content of apps/shop/logs/web.log')
  expect(await read(at('apps/shop/.env'))).toContain('SERVICE_LOG_DIRS')
})

test('pipes and devices are refused, without waiting for a writer', async () => {
  execFileSync('mkfifo', [at('logs', 'pipe')])
  expect(await read(at('logs', 'pipe'))).toContain('not a regular file')
  await symlink('/dev/zero', at('logs', 'zero'))
  expect(await read(at('logs', 'zero'))).toContain('not a regular file')
  expect(await read('/dev/zero', 'administrator')).toContain('not a regular file')
})

test('files of the kernel are refused to all sources', async () => {
  for (const path of ['/proc/self/environ', '/proc/1/cmdline', '/sys/kernel/notes'])
    expect(await read(path, 'administrator')).toMatch(/refused/)
  await symlink('/proc/self/environ', at('logs', 'environment.log'))
  expect(await read(at('logs', 'environment.log'), 'administrator')).toContain('belongs to the system')
})

test('a hard link in a folder that others may write to is refused', async () => {
  await link(at('elsewhere', 'secret'), at('logs', 'hard.log'))
  expect(await read(at('logs', 'hard.log'))).toBe('content of elsewhere/secret')
  await chmod(at('logs'), 0o777)
  expect(await read(at('logs', 'hard.log'))).toContain('several names')
  expect(await read(at('logs', 'hard.log'), 'administrator')).toBe('content of elsewhere/secret')
  await chmod(at('logs'), 0o755)
})

test('a path that is constantly replaced by a link never yields the target', async () => {
  const path = at('logs', 'replaced.log')
  const isOver = new AbortController()
  const keepReplacing = async () => {
    for (let round = 0; !isOver.signal.aborted; round++) {
      const replacement = at('logs', '.replacement')
      await rm(replacement, { force: true })
      await (round % 2 === 0 ? symlink(at('elsewhere', 'secret'), replacement) : writeFile(replacement, 'a log'))
      await rename(replacement, path)
    }
  }
  await writeFile(path, 'a log')
  const replacing = keepReplacing()
  const found = new Set<string>()
  for (let attempt = 0; attempt < 500; attempt++) found.add(await read(path))
  isOver.abort()
  await replacing
  expect([...found].filter((text) => text.includes('secret'))).toEqual([])
  expect(found).toContain('a log')
})

test('paths are compared by whole components', () => {
  expect(isWithin('/var/log/a', '/var/log')).toBe(true)
  expect(isWithin('/var/log', '/var/log')).toBe(true)
  expect(isWithin('/var/log/..a', '/var/log')).toBe(true)
  expect(isWithin('/var/logs', '/var/log')).toBe(false)
  expect(isWithin('/var', '/var/log')).toBe(false)
  expect(isInLogFolderOf('/opt/shop/Logs/x', '/opt')).toBe(true)
  expect(isInLogFolderOf('/opt/log', '/opt')).toBe(true)
  expect(isInLogFolderOf('/opt/catalogs/x', '/opt')).toBe(false)
})

test('configured folders replace the usual ones; folders to scan are always included', () => {
  const some = logFolders({ logDirectories: ['/a'], scanDirectories: ['/b', '/a/'], dataDirectory: '/data' })
  expect(some).toEqual({ folders: ['/a', '/b'], applications: [] })
  const usual = logFolders({ logDirectories: [], scanDirectories: ['/b'], dataDirectory: '/data' })
  expect(usual.folders).toEqual(expect.arrayContaining(['/var/log', '/data/inbox', '/b']))
  expect(usual.folders).not.toContain('/opt')
})
