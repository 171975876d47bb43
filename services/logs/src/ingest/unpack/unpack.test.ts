import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tarOf, zipOf } from './archives-for-tests.ts'
import { createExpansion } from './expansion.ts'
import { createSpool } from './spool.ts'
import { unpack } from './unpack.ts'

const megabyte = 1024 * 1024
const limits = { packedBytes: 64 * megabyte, expandedBytes: 256 * megabyte }

async function* inChunks(content: Buffer, size: number) {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size)
}

type Outcome = { texts: Record<string, string>; skipped: Record<string, string>; failure: unknown; bytes: number }

const withFolder = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-unpack-'))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
}

/** Unpacks up to the end or a failure, and returns the texts. A file that was sent by itself is named "". */
const read = async (
  content: Buffer,
  { chunk = 10_000, keep = true, changed = {}, spoolBytes = 64 * megabyte } = {},
) => {
  await using folder = await withFolder()
  const outcome: Outcome = { texts: {}, skipped: {}, failure: undefined, bytes: 0 }
  const expansion = createExpansion({ ...limits, ...changed }).file()
  const spool = createSpool({ directory: join(folder.directory, 'spool'), maxBytes: spoolBytes })
  try {
    for await (const text of unpack(inChunks(content, chunk), { expansion, spool })) {
      if ('skipped' in text) {
        outcome.skipped[text.path] = text.skipped
        continue
      }
      const decoder = new TextDecoder()
      for await (const part of text.content) {
        outcome.bytes += part.length
        if (keep)
          outcome.texts[text.path ?? ''] =
            (outcome.texts[text.path ?? ''] ?? '') + decoder.decode(part, { stream: true })
      }
    }
  } catch (error) {
    outcome.failure = error
  }
  // No file remains on the disk in any case.
  expect(await readdir(join(folder.directory, 'spool')).catch(() => [])).toEqual([])
  return outcome
}

const log = 'one\ntwo\nthree\n'
const windowsEvent = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'></Event>"
const long = Array.from({ length: 50_000 }, (_, line) => `line ${line} ${(line * 7919) % 1013}`).join('\n')

describe('the format of a file is detected from its bytes', () => {
  test.each<[string, () => Buffer | Promise<Buffer>, Record<string, string>]>([
    ['plain', () => Buffer.from(log), { '': log }],
    ['an empty file', () => Buffer.alloc(0), {}],
    ['gzip', () => gzipSync(log), { '': log }],
    ['an export in JSON', () => gzipSync('{"Records": [{"a": 1},\n {"a": 2}]}'), { '': '{"a":1}\n{"a":2}\n' }],
    [
      'an export of Windows events',
      () => Buffer.from(`\ufeff<Events>${windowsEvent}${windowsEvent}</Events>`, 'utf16le'),
      { '': `${windowsEvent}\n${windowsEvent}\n` },
    ],
    [
      'several concatenated gzip files',
      () => Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]),
      { '': 'one\ntwo\n' },
    ],
    ['zstd', () => zstdCompressSync(long), { '': long }],
    [
      'zstd in several frames, the first skippable',
      () =>
        Buffer.concat([
          Buffer.from('502a4d180400000001020304', 'hex'),
          zstdCompressSync('one\n'),
          zstdCompressSync('two\n'),
        ]),
      { '': 'one\ntwo\n' },
    ],
    [
      'tar',
      () =>
        tarOf([
          { name: 'a.log', content: log },
          { name: 'b/a.log', content: long },
        ]),
      { 'a.log': log, 'b/a.log': long },
    ],
    ['tar.gz', async () => gzipSync(await tarOf([{ name: 'a.log', content: log }])), { 'a.log': log }],
    ['tar.zst', async () => zstdCompressSync(await tarOf([{ name: 'a.log', content: log }])), { 'a.log': log }],
    [
      'a tar of gzip and zstd files',
      () =>
        tarOf([
          { name: 'a.1.gz', content: gzipSync(log) },
          { name: 'b', content: zstdCompressSync(long) },
          { name: 'c', content: 'x' },
        ]),
      { 'a.1.gz': log, b: long, c: 'x' },
    ],
    [
      'a tar with a path that exceeds its header',
      () => tarOf([{ name: `${'deep/'.repeat(60)}a.log`, content: log }]),
      { [`${'deep/'.repeat(60)}a.log`]: log },
    ],
    [
      'zip, stored, deflated and zstd',
      () =>
        zipOf([
          { name: 'a', content: log, method: 'stored' },
          { name: 'b/c', content: long },
          { name: 'd', content: log, method: 'zstd' },
          { name: 'e/' },
        ]),
      { a: log, 'b/c': long, d: log },
    ],
    ['a zip of gzip files', () => zipOf([{ name: 'a.gz', content: gzipSync(log) }]), { 'a.gz': log }],
    [
      'zip64',
      () =>
        zipOf([
          { name: 'a', content: log, isZip64: true },
          { name: 'b', content: long, isZip64: true },
        ]),
      { a: log, b: long },
    ],
    ['UTF-16 as Windows writes it', () => Buffer.from(`\ufeff${log}`, 'utf16le'), { '': log }],
    ['UTF-16 without a mark', () => Buffer.from(`Grüße 日本 ${log}`, 'utf16le'), { '': `Grüße 日本 ${log}` }],
    ['UTF-16 of the other order without a byte order mark', () => Buffer.from(log, 'utf16le').swap16(), { '': log }],
    ['UTF-16 without a byte order mark in gzip', () => gzipSync(Buffer.from(log, 'utf16le')), { '': log }],
    ['a text with a hole', () => Buffer.from(`\0\0\0\0${log}`), { '': `\0\0\0\0${log}` }],
    ['lines that end in carriage returns', () => Buffer.from(log.replaceAll('\n', '\r')), { '': log }],
    ['UTF-16 that does', () => Buffer.from(log.replaceAll('\n', '\r'), 'utf16le'), { '': log }],
    ['progress on a line', () => Buffer.from('1 %\r2 %\r3 %\ndone\r\n'), { '': '1 %\r2 %\r3 %\ndone\r\n' }],
    ['gzip that is padded with zeros', () => Buffer.concat([gzipSync(log), Buffer.alloc(40_000)]), { '': log }],
    ['gzip with something behind it', () => Buffer.concat([gzipSync(log), Buffer.from('no gzip')]), { '': log }],
    ['gzip with a byte behind it', () => Buffer.concat([gzipSync(log), Buffer.from('x')]), { '': log }],
    [
      'a long gzip with something long behind it',
      () => Buffer.concat([gzipSync(long), Buffer.from(long)]),
      { '': long },
    ],
  ])('%s', async (_, make, texts) => {
    const content = await make()
    expect(await read(content)).toMatchObject({ texts, skipped: {}, failure: undefined })
    expect(await read(content, { chunk: 7 })).toMatchObject({ texts, skipped: {}, failure: undefined })
  })

  test.each<[string, Buffer]>([
    ['bzip2', Buffer.from('425a6839314159265359', 'hex')],
    ['xz', Buffer.from('fd377a585a000004', 'hex')],
    ['7z', Buffer.from('377abcaf271c0004', 'hex')],
    ['rar', Buffer.from('526172211a0700', 'hex')],
    ['neither text nor a supported archive', randomBytes(5_000)],
    ['this gzip file is neither text nor an archive', gzipSync(randomBytes(5_000))],
    ['gzip within gzip', gzipSync(gzipSync(log))],
    ['zip within zstd', zstdCompressSync(zipOf([{ name: 'a', content: log }]))],
  ])('%s is rejected with advice', async (what, content) => {
    const { failure } = await read(content)
    expect(failure).toMatchObject({ kind: 'unsupported_media', detail: expect.stringContaining(what) })
  })
})

describe('a file in an archive', () => {
  test('that is encrypted, a link, compressed otherwise, or not text, is named and the others are read', async () => {
    const zip = zipOf([
      { name: 'secret.log', content: log, isEncrypted: true },
      { name: 'link', content: '/etc/passwd', mode: 0o120777 },
      { name: 'old.bz2', content: log, method: 'bzip2' },
      { name: 'rotated.xz', content: Buffer.from('fd377a585a000004', 'hex') },
      { name: 'logo.png', content: Buffer.from('89504e470d0a1a0a0000000d', 'hex') },
      { name: 'more.zip', content: zipOf([{ name: 'a', content: log }]) },
      { name: 'good.log', content: log },
    ])
    expect(await read(zip)).toMatchObject({
      texts: { 'good.log': log },
      skipped: {
        'secret.log': 'is encrypted',
        link: expect.stringContaining('link'),
        'old.bz2': expect.stringContaining('method 12'),
        'rotated.xz': expect.stringContaining('xz'),
        'logo.png': 'is not text',
        'more.zip': expect.stringContaining('archive within the archive'),
      },
      failure: undefined,
    })
  })

  test('of a tar that is a link or a device is named', async () => {
    const tar = await tarOf([
      { name: 'passwd', type: 'symlink', linkname: '/etc/passwd' },
      { name: 'hard', type: 'link', linkname: '../../etc/shadow' },
      { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 },
      { name: 'folder', type: 'directory' },
      { name: 'good.log', content: log },
    ])
    const { texts, skipped } = await read(tar)
    expect(texts).toEqual({ 'good.log': log })
    expect(Object.keys(skipped)).toEqual(['passwd', 'hard', 'null'])
  })

  test('has a safe path, whatever its name in the archive', async () => {
    const names = ['/etc/passwd', '../../up.log', 'C:\\Windows\\x.log', 'a/./b//c', 'bell\u0007.log', '..']
    const expected = ['etc/passwd', 'up.log', 'Windows/x.log', 'a/b/c', 'bell_.log', 'unnamed']
    const zip = zipOf(names.map((name) => ({ name, content: log })))
    const tar = await tarOf(names.map((name) => ({ name, content: log })))
    expect(Object.keys((await read(zip)).texts)).toEqual(expected)
    expect(Object.keys((await read(tar)).texts)).toEqual(expected)
  })

  test('that is damaged is read up to the damage and named, and the others are read', async () => {
    const broken = gzipSync(long).subarray(0, 20_000)
    const archives = [
      zipOf([
        { name: 'a.gz', content: broken },
        { name: 'b', content: log },
      ]),
      await tarOf([
        { name: 'a.gz', content: broken },
        { name: 'b', content: log },
      ]),
    ]
    for (const archive of archives) {
      const { texts, skipped, failure } = await read(archive)
      expect(texts.b).toBe(log)
      expect(texts['a.gz']?.length).toBeGreaterThan(10_000)
      expect(long.startsWith(texts['a.gz'] ?? 'nothing')).toBe(true)
      expect({ skipped, failure }).toEqual({
        skipped: { 'a.gz': 'is damaged, and was read up to the damage' },
        failure: undefined,
      })
    }
    const wrong = zipOf([
      { name: 'sum', content: log, isWrong: true },
      { name: 'size', content: log, claims: 4 },
      { name: 'good', content: log },
    ])
    const { skipped, texts } = await read(wrong)
    expect(Object.keys(skipped)).toEqual(['sum', 'size'])
    expect(texts.good).toBe(log)
  })
})

describe('truncated input', () => {
  test.each([
    ['gzip', (content: string) => gzipSync(content)],
    ['zstd', (content: string) => zstdCompressSync(content)],
  ])('a %s file is read up to its end', async (_, pack) => {
    const content = pack(long)
    const { texts, failure } = await read(content.subarray(0, content.length >> 1))
    expect(failure).toMatchObject({ kind: 'malformed', detail: expect.stringContaining('is truncated') })
    expect(texts['']?.length).toBeGreaterThan(100_000)
    expect(long.startsWith(texts[''] ?? 'nothing')).toBe(true)
  })

  test.each([
    ['tar', (tar: Buffer) => tar],
    ['tar.gz', (tar: Buffer) => gzipSync(tar)],
  ])('the files of a %s archive before the end are read', async (_, pack) => {
    const content = pack(
      await tarOf([
        { name: 'a', content: log },
        { name: 'b', content: long },
      ]),
    )
    const { texts, failure } = await read(content.subarray(0, content.length >> 1))
    expect(failure).toMatchObject({ kind: 'malformed' })
    expect(texts.a).toBe(log)
    expect(long.startsWith(texts.b ?? '')).toBe(true)
  })

  test('a zip archive without its list of files is rejected', async () => {
    const zip = zipOf([{ name: 'a', content: long }])
    const { failure } = await read(zip.subarray(0, zip.length - 30))
    expect(failure).toMatchObject({ kind: 'malformed', detail: expect.stringContaining('list of files') })
  })
})

describe('a malicious archive', () => {
  const zeros = Buffer.alloc(128 * megabyte)
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['gzip of many zeros', () => gzipSync(zeros)],
    ['zstd of many zeros', () => zstdCompressSync(zeros)],
    ['a tar.gz of many zeros', async () => gzipSync(await tarOf([{ name: 'a', content: zeros }]))],
    ['a zip of many zeros', () => zipOf([{ name: 'a', content: zeros }])],
    ['a zip with stated sizes above the limit', () => zipOf([{ name: 'a', content: log, claims: 300 * megabyte }])],
    [
      'a zip with more files than are allowed',
      () => zipOf(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}` }))),
    ],
    [
      'a tar with more files than are allowed',
      () => tarOf(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}` }))),
    ],
  ])('%s is rejected as too large', async (_, make) => {
    const content = await make()
    const { failure, bytes } = await read(content, { keep: false })
    expect(failure).toMatchObject({ kind: 'too_large' })
    expect(bytes).toBeLessThan(101 * megabyte)
  })

  test('a zip with files that share their bytes is rejected before it is read', async () => {
    const kernel = { name: 'a', content: 'x'.repeat(9 * megabyte) }
    const zip = zipOf([
      kernel,
      ...Array.from({ length: 20 }, (_, index) => ({ ...kernel, name: `${index}`, liesAt: 0 })),
    ])
    const { failure, bytes } = await read(zip)
    expect(failure).toMatchObject({ kind: 'malformed', detail: expect.stringContaining('overlap') })
    expect(bytes).toBe(0)
  })

  test('nested archives are not opened, at any depth', async () => {
    let nested = zipOf([{ name: 'a', content: log }])
    for (let depth = 0; depth < 5; depth++) nested = zipOf([{ name: 'inner.zip', content: nested }])
    expect(await read(nested)).toMatchObject({
      texts: {},
      skipped: { 'inner.zip': expect.stringContaining('archive') },
    })
  })

  test('a zip file with more data than its list states is named', async () => {
    const content = Buffer.alloc(50 * megabyte)
    const zip = zipOf([{ name: 'a', content, claims: 10 }])
    expect(deflateRawSync(content).length).toBeLessThan(megabyte)
    const { skipped, bytes } = await read(zip)
    expect(Object.keys(skipped)).toEqual(['a'])
    expect(bytes).toBeLessThan(megabyte)
  })

  test('zip archives use limited disk space', async () => {
    const zip = zipOf([{ name: 'a', content: long, method: 'stored' }])
    expect(await read(zip, { spoolBytes: 100_000 })).toMatchObject({
      failure: { kind: 'unavailable', retryAfterSeconds: 30 },
    })
    expect(await read(zip, { changed: { packedBytes: 100_000 } })).toMatchObject({ failure: { kind: 'too_large' } })
  })
})

/** Archives as other tools create them. */
const commands: readonly [string, string[], string, string[]][] = [
  ['tar', ['tar'], 'all.tar', ['-cf', 'all.tar', 'logs']],
  ['tar in the format of POSIX', ['tar'], 'all.tar', ['--format=posix', '-cf', 'all.tar', 'logs']],
  ['tar in the format of 1979', ['tar'], 'all.tar', ['--format=v7', '-cf', 'all.tar', 'logs']],
  ['tar with gzip', ['tar', 'gzip'], 'all.tgz', ['-czf', 'all.tgz', 'logs']],
  ['tar with zstd', ['tar', 'zstd'], 'all.tar.zst', ['--zstd', '-cf', 'all.tar.zst', 'logs']],
  ['zip', ['zip'], 'all.zip', ['-qry', 'all.zip', 'logs']],
]

const isHere = (program: string) => spawnSync(program, ['--version']).error === undefined
const cases = commands.map(([name, programs, ...rest]) => {
  const missing = programs.filter((program) => !isHere(program))
  return { name: missing.length === 0 ? name : `${name} (needs ${missing.join(', ')})`, missing, programs, rest }
})

describe('archives of other tools', () => {
  for (const { name, missing, programs, rest } of cases)
    test.skipIf(missing.length > 0)(name, async () => {
      const [program = ''] = programs
      const [file, args] = rest
      await using folder = await withFolder()
      const logs = join(folder.directory, 'logs')
      await mkdir(join(logs, 'deep'), { recursive: true })
      await writeFile(join(logs, 'a.log'), long)
      await writeFile(join(logs, 'deep', 'b.log.1.gz'), gzipSync(log))
      await symlink('/etc/passwd', join(logs, 'passwd'))
      execFileSync(program, args, { cwd: folder.directory })
      const { texts, skipped, failure } = await read(await readFile(join(folder.directory, file)))
      expect(failure).toBeUndefined()
      expect(texts).toEqual({ 'logs/a.log': long, 'logs/deep/b.log.1.gz': log })
      expect(Object.keys(skipped)).toEqual(['logs/passwd'])
    })
})
