import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fileSource, withCollecting } from '../collecting-for-tests.ts'

const line = (number: number) => `2026-03-01T09:15:${String(number % 60).padStart(2, '0')}Z INFO line n${number}\n`
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => line(from + index)).join('')
const numbersOf = (texts: readonly string[]) =>
  texts.map((text) => Number(/n(\d+)$/.exec(text)?.[1])).toSorted((a, b) => a - b)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const withLog = async () => {
  const opened = await withCollecting()
  const folder = join(opened.directory, 'logs')
  await mkdir(folder)
  const path = join(folder, 'app.log')
  const source = fileSource({ id: 'app', path })
  return {
    ...opened,
    folder,
    path,
    source,
    numbers: async () => numbersOf(await opened.texts()),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

test('a file is read once, and then its new lines', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 100))
  expect(await log.glean(log.source)).toMatchObject({ lines: 100, entries: 100, duplicates: 0, problems: [] })
  expect(await log.glean(log.source)).toMatchObject({ lines: 0, bytes: 0 })
  await appendFile(log.path, lines(100, 130))
  expect(await log.glean(log.source)).toMatchObject({ lines: 30, entries: 30, duplicates: 0 })
  expect(await log.numbers()).toEqual(range(0, 130))
  const entries = await log.entries()
  expect(entries.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(range(1, 131))
})

test('a path that is not a file any more is reported as such, and read again once it is a file', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 10))
  await log.glean(log.source)
  await rm(log.path)
  expect(await log.glean(log.source)).toMatchObject({ problems: [`${log.path} does not exist yet.`] })
  const server = createServer().listen(log.path)
  await once(server, 'listening')
  const { problems } = await log.glean(log.source)
  expect(problems).toEqual([`${log.path} is not a file, but a pipe, a socket or a device.`])
  await new Promise((resolve) => server.close(resolve))
  await writeFile(log.path, lines(10, 20))
  expect(await log.glean(log.source)).toMatchObject({ entries: 10, problems: [] })
  expect(await log.numbers()).toEqual(range(0, 20))
})

test('force=true bypasses the unchanged-file check, and stores no duplicates', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 50))
  await log.glean(log.source)
  await appendFile(log.path, lines(50, 60))
  await log.glean(log.source)
  expect(await log.glean(log.source, { force: true })).toMatchObject({ lines: 60, entries: 0, duplicates: 60 })
  expect(await log.numbers()).toEqual(range(0, 60))
})

test('files are fingerprinted by hash, modification time and size: another content of the same size and time is read', async () => {
  await using log = await withLog()
  const time = new Date('2026-03-01T10:00:00Z')
  await writeFile(log.path, lines(0, 10))
  await utimes(log.path, time, time)
  await log.glean(log.source)
  await writeFile(log.path, lines(20, 30).replaceAll('n2', 'n'))
  await writeFile(log.path, lines(10, 20).slice(0, lines(0, 10).length))
  await utimes(log.path, time, time)
  expect((await log.glean(log.source)).lines).toBeGreaterThan(0)
})

test('a renamed file is recognised, and lines that were appended before it was renamed are read', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 50))
  await log.glean(log.source)
  await appendFile(log.path, lines(50, 60))
  await rename(log.path, `${log.path}.1`)
  await writeFile(log.path, lines(60, 70))
  expect(await log.glean(log.source)).toMatchObject({ lines: 20, entries: 20 })
  await rename(`${log.path}.1`, `${log.path}.2`)
  await rename(log.path, `${log.path}.1`)
  await appendFile(`${log.path}.1`, lines(70, 75))
  await writeFile(log.path, lines(75, 80))
  expect(await log.glean(log.source)).toMatchObject({ lines: 10, entries: 10 })
  expect(await log.numbers()).toEqual(range(0, 80))
  expect((await log.engine.sources({})).map(({ sourceId }) => sourceId)).toEqual(['app'])
})

test('a copied and truncated file is read from its start, and of its copy only the unread lines', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 50))
  await log.glean(log.source)
  await appendFile(log.path, lines(50, 55))
  await copyFile(log.path, `${log.path}.1`)
  // A copy that is found before the truncation is not read yet.
  expect(await log.glean(log.source)).toMatchObject({ lines: 5 })
  await truncate(log.path, 0)
  await appendFile(log.path, lines(60, 64))
  expect(await log.glean(log.source)).toMatchObject({ lines: 4, entries: 4 })
  await appendFile(log.path, lines(64, 70))
  await copyFile(log.path, `${log.path}.2`)
  await truncate(log.path, 0)
  await writeFile(log.path, lines(70, 90))
  expect(await log.glean(log.source)).toMatchObject({ lines: 26, entries: 26 })
  expect(await log.numbers()).toEqual([...range(0, 55), ...range(60, 90)])
})

test('a copy that is found while it is being made is not read yet, either', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 50))
  await log.glean(log.source)
  await writeFile(`${log.path}.1`, '')
  await log.glean(log.source)
  await appendFile(`${log.path}.1`, lines(0, 20))
  await appendFile(log.path, lines(50, 55))
  await log.glean(log.source)
  await appendFile(`${log.path}.1`, lines(20, 60))
  await writeFile(log.path, lines(60, 61))
  expect(await log.glean(log.source)).toMatchObject({ lines: 6, entries: 6 })
  expect(await log.numbers()).toEqual(range(0, 61))
})

test.each([
  ['gz', gzipSync],
  ['zst', zstdCompressSync],
] as const)(
  'a rotated file that is compressed (.%s) is not read again after the plain file has been read',
  async (suffix, pack) => {
    await using log = await withLog()
    await writeFile(log.path, lines(0, 500))
    await log.glean(log.source)
    await appendFile(log.path, lines(500, 510))
    await rename(log.path, `${log.path}.1`)
    await writeFile(log.path, lines(600, 610))
    const packed = `${log.path}.1.${suffix}`
    await writeFile(packed, pack(await readFile(`${log.path}.1`)))
    await rm(`${log.path}.1`)
    expect(await log.glean(log.source)).toMatchObject({ lines: 20, entries: 20, problems: [] })
    await rename(packed, `${log.path}.2.${suffix}`)
    expect(await log.glean(log.source)).toMatchObject({ lines: 0 })
    expect(await log.glean(log.source, { force: true })).toMatchObject({ lines: 520, entries: 0, duplicates: 520 })
  },
)

test('compressed files that existed before are read, the oldest first', async () => {
  await using log = await withLog()
  const write = async (name: string, content: Buffer | string, day: number) => {
    await writeFile(join(log.folder, name), content)
    await utimes(join(log.folder, name), new Date(2026, 2, day), new Date(2026, 2, day))
  }
  await write('app.log.2.gz', gzipSync(lines(0, 10)), 1)
  await write('app.log.1.zst', zstdCompressSync(lines(10, 20)), 2)
  await write('app.log', lines(20, 30), 3)
  expect(await log.glean(log.source)).toMatchObject({ entries: 30, problems: [] })
  const generations = (await log.entries()).map(({ text, sequence }) => [
    numbersOf([text])[0],
    Math.floor(sequence / 1e9),
  ])
  expect(Object.fromEntries(generations)).toMatchObject({ 5: 0, 15: 1, 25: 2 })
})

test('equal lines without a time in two pieces of a log are both stored', async () => {
  await using log = await withLog()
  await writeFile(log.path, 'Server starting\nready\n')
  await log.glean(log.source)
  await rename(log.path, `${log.path}.1`)
  await writeFile(log.path, 'Server starting\nready\n')
  expect(await log.glean(log.source)).toMatchObject({ entries: 2, duplicates: 0 })
  expect(await log.texts()).toHaveLength(4)
})

test('an incomplete last line waits for its end', async () => {
  await using log = await withLog()
  // However long a run takes, the file appears to have been written just now.
  log.setAhead(-60_000)
  await writeFile(log.path, `${lines(0, 5)}${line(5).slice(0, 30)}`)
  expect(await log.glean(log.source)).toMatchObject({ lines: 5 })
  expect(await log.glean(log.source)).toMatchObject({ lines: 0 })
  await appendFile(log.path, line(5).slice(30))
  expect(await log.glean(log.source)).toMatchObject({ lines: 1 })
  expect(await log.numbers()).toEqual(range(0, 6))
})

test('an incomplete last line of an idle file is read, and later lines keep their numbers', async () => {
  await using log = await withLog()
  await writeFile(log.path, `${lines(0, 5)}${line(5).slice(0, 25)}`)
  expect(await log.glean(log.source)).toMatchObject({ lines: 6 })
  await appendFile(log.path, `${line(5).slice(25)}${lines(6, 8)}`)
  await log.glean(log.source)
  const sequences = new Map((await log.entries()).map(({ text, sequence }) => [text, sequence]))
  expect(sequences.get(line(5).slice(0, 25))).toBe(6)
  expect(sequences.get(line(7).trimEnd())).toBe(8)
})

test('an entry that may get more lines stays open while its file is being written', async () => {
  await using log = await withLog()
  await writeFile(log.path, '2026-03-01T09:15:01Z INFO one\n2026-03-01T09:15:02Z ERROR broke\n')
  // The file is written whenever the clock is read.
  log.setAhead(0, () => appendFileSync(log.path, '\tat more (app.js:1)\n'))
  await log.glean(log.source)
  await appendFile(log.path, '\tat last (app.js:9)\n')
  log.setAhead(60_000)
  await log.glean(log.source)
  const texts = await log.texts()
  expect(texts).toHaveLength(2)
  expect(texts[1]).toMatch(/^2026-03-01T09:15:02Z ERROR broke\n\tat more[\s\S]*\tat last \(app\.js:9\)$/)
})

test('a folder is read with all its subfolders; patterns select its files', async () => {
  await using log = await withLog()
  await mkdir(join(log.folder, 'web', 'deep'), { recursive: true })
  await writeFile(join(log.folder, 'web', 'access.log'), lines(0, 3))
  await writeFile(join(log.folder, 'web', 'deep', 'error.log'), lines(3, 5))
  await writeFile(join(log.folder, 'web', 'debug.log'), lines(5, 6))
  await writeFile(join(log.folder, 'web', 'debug.log.1'), lines(6, 7))
  await writeFile(join(log.folder, 'notes.txt'), lines(7, 8))
  await writeFile(join(log.folder, '.hidden.log'), lines(8, 9))
  const source = fileSource({ id: 'apps', path: log.folder, include: ['*.log'], exclude: ['debug.log'] })
  await log.glean(source)
  expect((await log.engine.sources({})).map(({ sourceId }) => sourceId).toSorted()).toEqual([
    'apps:attic:web/access.log',
    'apps:attic:web/deep/error.log',
  ])
  expect(await log.numbers()).toEqual(range(0, 5))
  await log.glean(fileSource({ id: 'flat', path: log.folder, recursive: false }))
  expect((await log.texts('flat:attic:notes.txt')).length).toBe(1)
  expect((await log.texts('flat:attic:web/access.log')).length).toBe(0)
})

test('a glob selects files, also those created later and those that rotation makes of them', async () => {
  await using log = await withLog()
  const source = fileSource({ id: 'glob', path: join(log.folder, '*', 'a*.log') })
  expect((await log.glean(source)).entries).toBe(0)
  await mkdir(join(log.folder, 'one'))
  await writeFile(join(log.folder, 'one', 'app.log'), lines(0, 3))
  await writeFile(join(log.folder, 'one', 'other.log'), lines(90, 93))
  await log.glean(source)
  await rename(join(log.folder, 'one', 'app.log'), join(log.folder, 'one', 'app.log.1'))
  await appendFile(join(log.folder, 'one', 'app.log.1'), lines(3, 5))
  await log.glean(source)
  expect(await log.numbers()).toEqual(range(0, 5))
})

test('files that cannot be read are reported, and the others are read', async () => {
  await using log = await withLog()
  await writeFile(join(log.folder, 'good.log'), lines(0, 3))
  await symlink(join(log.folder, 'nowhere'), join(log.folder, 'dangling.log'))
  await symlink(log.folder, join(log.folder, 'circle'))
  await symlink(join(log.folder, 'good.log'), join(log.folder, 'again.log'))
  await writeFile(join(log.folder, 'broken.log.1.gz'), gzipSync(lines(0, 900)).subarray(0, 900))
  await writeFile(join(log.folder, 'closed.log'), lines(50, 60))
  await chmod(join(log.folder, 'closed.log'), 0)
  log.setAhead(120_000)
  const { problems } = await log.glean(fileSource({ id: 'all', path: log.folder }))
  expect(problems.join('\n')).toContain('dangling.log cannot be read: it does not exist.')
  expect(problems.join('\n')).toContain('broken.log.1.gz is truncated or damaged')
  if (process.getuid?.() !== 0) expect(problems.join('\n')).toContain('closed.log cannot be read: permission denied.')
  expect(numbersOf(await log.texts('all:attic:good.log'))).toEqual(range(0, 3))
  expect(await log.texts('all:attic:again.log')).toEqual([])
})

test('a file that is not text is skipped and reported once; holes are skipped', async () => {
  await using log = await withLog()
  await writeFile(join(log.folder, 'wtmp'), Buffer.from(Array.from({ length: 4_000 }, (_, index) => index % 7)))
  const sparse = join(log.folder, 'sparse.log')
  await writeFile(sparse, '')
  await truncate(sparse, 6 * 1024 * 1024)
  await appendFile(sparse, lines(0, 3))
  const source = fileSource({ id: 'all', path: log.folder })
  expect((await log.glean(source)).entries).toBe(3)
  expect(await log.texts()).toEqual(range(0, 3).map((number) => line(number).trimEnd()))
  expect((await log.glean(source, { force: true })).problems).toEqual([expect.stringContaining('wtmp is skipped')])
})

test('dates without a year are in the year in which the file was last modified', async () => {
  await using log = await withLog()
  await writeFile(log.path, 'Dec 31 23:59:59 attic app[1]: old\nMar  1 09:15:02 attic app[1]: new\n')
  await utimes(log.path, new Date('2019-03-02T00:00:00Z'), new Date('2019-03-02T00:00:00Z'))
  await log.glean(fileSource({ id: 'app', path: log.path, timezone: 'UTC' }))
  const times = (await log.entries()).map(({ time }) => new Date(time ?? 0).toISOString())
  expect(times.toSorted()).toEqual(['2018-12-31T23:59:59.000Z', '2019-03-01T09:15:02.000Z'])
})

test('a run that was stopped is continued by the next one', async () => {
  await using log = await withLog()
  await writeFile(log.path, lines(0, 60_000))
  const stop = new AbortController()
  const { source } = log
  const checkpoints = log.checkpointsOf(source)
  const chunks = log.collector.collect({
    source,
    checkpoints,
    force: false,
    signal: stop.signal,
    onProblem: () => undefined,
  })
  for await (const _ of chunks) stop.abort()
  const stopped = await log.glean(source, { signal: AbortSignal.abort() })
  expect(stopped.lines).toBe(0)
  expect((await log.glean(source)).lines).toBe(60_000)
  expect(new Set(await log.numbers()).size).toBe(60_000)
})

const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBigEndian ? bytes.swap16() : bytes
}

test.each([
  ['UTF-16 with a byte order mark', (text: string) => utf16(text), '\ufeff', '\r\n'],
  ['big-endian UTF-16', (text: string) => utf16(text, true), '\ufeff', '\n'],
  ['UTF-16 without a byte order mark', (text: string) => utf16(text), '', '\r\n'],
  ['carriage returns for line ends', (text: string) => Buffer.from(text), '', '\r'],
])(
  'a text in %s is read by lines, continued where reading ended, and recognised when compressed',
  async (_, encode, mark, end) => {
    await using log = await withLog()
    const written = (from: number, to: number) =>
      lines(from, to).replaceAll('INFO', 'INFO größer 😀 Ċ').replaceAll('\n', end)
    await writeFile(log.path, encode(mark + written(0, 6_000)))
    expect(await log.glean(log.source)).toMatchObject({ lines: 6_000, entries: 6_000, problems: [] })
    const half = encode(written(6_000, 6_002))
    log.setAhead(0)
    await appendFile(log.path, half.subarray(0, half.length - 7))
    expect(await log.glean(log.source)).toMatchObject({ duplicates: 0 })
    log.setAhead(60_000)
    await appendFile(log.path, half.subarray(half.length - 7))
    await appendFile(log.path, encode(written(6_002, 6_010)))
    expect(await log.glean(log.source)).toMatchObject({ duplicates: 0, problems: [] })
    await writeFile(`${log.path}.1.gz`, gzipSync(await readFile(log.path)))
    await appendFile(log.path, encode(written(6_010, 6_020)))
    await writeFile(`${log.path}.1.gz`, gzipSync(await readFile(log.path)))
    await rm(log.path)
    await writeFile(log.path, encode(mark + written(6_020, 6_030)))
    expect(await log.glean(log.source)).toMatchObject({ duplicates: 0, problems: [] })
    expect(await log.numbers()).toEqual(range(0, 6_030))
    const texts = await log.texts()
    expect(texts.every((text) => / INFO größer 😀 Ċ line n\d+$/.test(text))).toBe(true)
  },
)
