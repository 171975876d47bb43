import { execFileSync } from 'node:child_process'
import { chmod, link, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { localFilesOf } from '../local-files/local-files-for-tests.ts'
import { discover } from './discover.ts'
import { type ScanOptions, scanFiles } from './scan.ts'
import { matchOf, recencyOf, scoreOf, sizeScoreOf } from './score.ts'
import { walkLimits, walkLogs } from './walk.ts'

const now = Date.UTC(2026, 2, 1, 12)
const hour = 3_600_000
const signal = AbortSignal.timeout(60_000)

/** Files by their paths in a folder, with their ages in hours and their contents. */
const withFiles = async (files: Record<string, { age?: number; content?: string | Buffer }>) => {
  const folder = await temporaryDirectory()
  for (const [name, { age = 0, content = 'a line\n' }] of Object.entries(files)) {
    const path = join(folder.path, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, content)
    await utimes(path, (now - age * hour) / 1000, (now - age * hour) / 1000)
  }
  const { open } = localFilesOf([folder.path]).for('api')
  const scan = (query?: string, maxResults = 100, walk: Pick<ScanOptions, 'mayBeAdded'> = {}) =>
    scanFiles({ roots: [folder.path], query, maxResults, now, signal, open, ...walk })
  const names = (found: { path: string }[]) => found.map(({ path }) => path.slice(folder.path.length + 1))
  const locations = { journals: [], programFolders: [], dockerSockets: [], podmanSockets: [] }
  const discovered = async (walk: Pick<ScanOptions, 'mayBeAdded'> = {}) =>
    (await discover([folder.path], locations, signal, { open, ...walk })).files
  return { path: folder.path, scan, discovered, names, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('score is 0.7 recency + 0.3 size, or 0.4 recency + 0.2 size + 0.4 keyword match when a query is given', () => {
  expect(scoreOf({ recency: 0.5, size: 0.25, match: undefined })).toBeCloseTo(0.7 * 0.5 + 0.3 * 0.25)
  expect(scoreOf({ recency: 0.5, size: 0.25, match: 1 })).toBeCloseTo(0.4 * 0.5 + 0.2 * 0.25 + 0.4)
})

test('recency, size and match are from 0 to 1', () => {
  expect([0, 24, 48].map((age) => recencyOf(now - age * hour, now))).toEqual([1, 0.5, 0.25])
  expect(recencyOf(now + hour, now)).toBe(1)
  expect([0, 1e9, 1e12].map(sizeScoreOf)).toEqual([0, 1, 1])
  expect(sizeScoreOf(1e6)).toBeGreaterThan(sizeScoreOf(1e3))
  expect(
    matchOf(
      ['a', 'b'],
      [
        { keyword: 'a', where: 'path' },
        { keyword: 'b', where: 'content' },
      ],
    ),
  ).toBe(0.75)
  expect(matchOf([], [])).toBe(0)
})

test('ranks readable log files by age and size', async () => {
  await using files = await withFiles({
    'old.log': { age: 240 },
    'new.log': {},
    'large.log': { content: 'x'.repeat(1_000_000) },
    'log/syslog': { age: 1 },
    'app/readme.txt': {},
    'app/logs/worker.txt': { age: 100 },
    'log/syslog.2.gz': {},
  })
  const { files: found, isComplete } = await files.scan()
  expect(files.names(found)).toEqual(['large.log', 'new.log', 'log/syslog', 'app/logs/worker.txt', 'old.log'])
  expect(isComplete).toBe(true)
  expect(found.every(({ score, matches }) => score > 0 && score <= 1 && matches.length === 0)).toBe(true)
  expect(files.names((await files.scan(undefined, 2)).files)).toEqual(['large.log', 'new.log'])
})

test('with a query, files with its words in the path or the last lines come first', async () => {
  await using files = await withFiles({
    'new.log': { content: 'all is well\n' },
    'nginx/error.log': { age: 6 },
    'other.log': { age: 72, content: 'upstream timeout while reading\n' },
  })
  const { files: found } = await files.scan('nginx has a timeout')
  expect(files.names(found)[0]).toBe('nginx/error.log')
  expect(Object.fromEntries(found.map(({ matches }, index) => [files.names(found)[index], matches]))).toEqual({
    'nginx/error.log': ['nginx'],
    'other.log': ['timeout'],
    'new.log': [],
  })
})

test('skips binary, empty, irregular and unreadable files, and follows no links', async () => {
  await using outside = await withFiles({ 'secret.log': {} })
  await using files = await withFiles({
    'good.log': {},
    'binary.log': { content: Buffer.from([1, 0, 2]) },
    'empty.log': { content: '' },
    'closed.log': {},
    'sub/.hidden.log': {},
  })
  await symlink(join(outside.path, 'secret.log'), join(files.path, 'link.log'))
  await symlink(outside.path, join(files.path, 'folder'))
  await symlink(files.path, join(files.path, 'circle'))
  execFileSync('mkfifo', [join(files.path, 'pipe.log')])
  await chmod(join(files.path, 'closed.log'), 0o000)
  const readable =
    process.getuid?.() === 0 ? ['closed.log', 'good.log', 'sub/.hidden.log'] : ['good.log', 'sub/.hidden.log']
  expect(files.names((await files.scan()).files).toSorted()).toEqual(readable)
})

test('reads no outside file that was hard-linked into a folder that others may write to', async () => {
  await using outside = await withFiles({ 'secret.txt': { content: 'PRIVATE\n' } })
  await using files = await withFiles({ 'good.log': {} })
  await link(join(outside.path, 'secret.txt'), join(files.path, 'linked.log'))
  await chmod(files.path, 0o777)
  expect(files.names((await files.scan('private')).files)).toEqual(['good.log'])
  expect(files.names(await files.discovered())).toEqual(['good.log'])
})

test('reads no outside file when a folder is replaced by a link after it was listed', async () => {
  await using outside = await withFiles({ 'app.log': { content: 'PRIVATE\n' } })
  const replaced = async () => {
    const files = await withFiles({ 'sub/app.log': {} })
    const mayBeAdded = async () => {
      await rename(join(files.path, 'sub'), join(files.path, 'before'))
      await symlink(outside.path, join(files.path, 'sub'))
      return true
    }
    return { ...files, mayBeAdded }
  }
  await using scanned = await replaced()
  expect((await scanned.scan('private', 100, scanned)).files).toEqual([])
  await using discovered = await replaced()
  expect(await discovered.discovered(discovered)).toEqual([])
})

test('a configured folder counts as a log folder whatever its name; its subfolders do not', async () => {
  await using files = await withFiles({ syslog: {}, 'auth.log': {}, 'code/main': {}, 'old.gz': {} })
  const { files: found } = await walkLogs([files.path], signal, { areNamed: true })
  expect(files.names(found).toSorted()).toEqual(['auth.log', 'syslog'])
  expect(files.names((await walkLogs([files.path], signal)).files)).toEqual(['auth.log'])
})

test('never enters /proc or /sys, even if they are configured', async () => {
  expect((await walkLogs(['/proc', '/proc/self', '/sys', '/dev'], signal)).files).toEqual([])
})

test('ends at its limits of time, depth, entries and files, and reports that it is incomplete', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${'deep/'.repeat(index % 12)}${index}.log`, {}]),
  )
  await using files = await withFiles(many)
  const walk = (change: Partial<typeof walkLimits>) =>
    walkLogs([files.path], signal, { limits: { ...walkLimits, ...change } })
  expect((await walk({})).isComplete).toBe(true)
  expect((await walk({})).files.every(({ path }) => path.split('deep/').length <= walkLimits.depth + 1)).toBe(true)
  expect((await walk({ depth: 0 })).files).toHaveLength(4)
  expect(await walk({ milliseconds: 0 })).toEqual({ files: [], isComplete: false })
  expect(await walk({ entries: 5 })).toMatchObject({ isComplete: false })
  expect((await walk({ files: 3 })).files.length).toBeLessThanOrEqual(3)
})

test('stops when its signal is aborted', async () => {
  await expect(walkLogs(['/usr'], AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})
