import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { EntriesServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/entries.ts'
import { LogsServiceDefinition as definition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { describe, expect, test } from 'vitest'
import { openServiceForTests } from '../service-for-tests.ts'
import { tarOf, zipOf } from './unpack/archives-for-tests.ts'
import { memberSourceId } from './upload.ts'

type File = { name: string; content: Buffer | AsyncIterable<Buffer> }

const fieldsOf = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => ({ part: { $case: 'field' as const, value: { name, value } } }))

async function* form(files: readonly File[], before: Record<string, string> = {}, after: Record<string, string> = {}) {
  yield { part: { $case: 'parameters' as const, value: { wait: true } } }
  yield* fieldsOf(before)
  for (const { name, content } of files) {
    yield { part: { $case: 'file' as const, value: { name: 'file', filename: name, mediaType: 'text/plain' } } }
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content)
      yield { part: { $case: 'chunk' as const, value: chunk } }
  }
  yield* fieldsOf(after)
}

const withService = async (environment: NodeJS.ProcessEnv = {}) => {
  const service = await openServiceForTests({ environment })
  const client = service.client(definition)
  return {
    client,
    entriesClient: service.client(EntriesServiceDefinition),
    directory: service.dataDirectory,
    upload: (files: readonly File[], fields?: Record<string, string>) => client.upload(form(files, fields)),
    entries: async () => (await client.search({ q: '', order: '', limit: 1000 })).entries,
    sources: async () => {
      const { entries } = await client.search({ q: '', order: '', limit: 1000 })
      const counts: Record<string, number> = {}
      for (const { sourceId } of entries) counts[sourceId] = (counts[sourceId] ?? 0) + 1
      return counts
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const lines = (count: number, word = 'line') => Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join('')

describe('an upload', () => {
  test('to a disk without space is 503 with the reason', async () => {
    await using service = await withService({ LOGS_RESERVED_MB: '1048576' })
    const detail = expect.stringMatching(
      /^The disk of the server has less than 1048576 MiB free, .*: nothing more is stored until there is space on it\. What was refused can be sent again then\.$/,
    )
    await expect(service.upload([{ name: 'app.log', content: Buffer.from(lines(3)) }])).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 60,
      detail,
    })
    expect(await service.entries()).toEqual([])
  })

  test('of an archive stores each file under a source of its own, and the counts add up', async () => {
    await using service = await withService()
    const tar = gzipSync(
      await tarOf([
        { name: 'var/log/app.log', content: lines(7) },
        { name: 'var/log/app.log.1.gz', content: gzipSync(lines(5)) },
        { name: 'etc/motd', content: 'hello\n\n  welcome\n' },
        { name: 'secret', type: 'symlink', linkname: '/etc/shadow' },
      ]),
    )
    const task = await service.upload([{ name: 'support.tar.gz', content: tar }])
    expect(task).toMatchObject({
      status: 'done',
      counts: { lines: 14, entries: 13, duplicates: 0, rejected: 0, multilineJoined: 1 },
      skipped: [{ name: 'secret', reason: expect.stringMatching(/^It is a link/) }],
      skippedCount: 1,
    })
    expect(await service.sources()).toEqual({
      'support/var/log/app.log': 7,
      'support/var/log/app.log.1': 5,
      'support/etc/motd': 1,
    })
    // The same files in another archive format have the same sources and are duplicates.
    const zip = zipOf([
      { name: 'var/log/app.log', content: zstdCompressSync(lines(7)) },
      { name: 'var/log/app.log.1', content: lines(6) },
    ])
    const again = await service.upload([{ name: 'whatever', content: zip }], { source_id: 'support' })
    expect(again.counts).toMatchObject({ lines: 13, entries: 1, duplicates: 12 })
  })

  test('of an archive infers missing years from the modification time of each file, unless the year is sent', async () => {
    await using service = await withService()
    const content = 'May  1 10:00:00 attic shop[1]: opened\n'
    const at = (mtime: Date) => tarOf([{ name: 'a.log', content, mtime }])
    const upload = async (name: string, mtime: Date, year?: string) =>
      service.upload([{ name, content: await at(mtime) }], year === undefined ? {} : { year })
    await upload('changed.tar', new Date('2024-05-01T12:00:00Z'))
    await upload('sent.tar', new Date('2024-05-01T12:00:00Z'), '2021')
    await upload('unknown.tar', new Date(0))
    const years = Object.fromEntries(
      (await service.entries()).map(({ sourceId, timestampIso }) => [sourceId, timestampIso?.slice(0, 4)]),
    )
    expect(years).toMatchObject({ 'changed/a.log': '2024', 'sent/a.log': '2021' })
    expect(Number(years['unknown/a.log'])).toBeGreaterThanOrEqual(2025)
  })

  test('of an archive is found and deleted by the source that was sent with it', async () => {
    await using service = await withService()
    const content = zipOf(['a.log', 'logs/b.log'].map((name) => ({ name, content: lines(2) })))
    await service.upload([{ name: 'support.zip', content }], { source_id: 'case-7' })
    await service.upload([{ name: 'c.log', content: Buffer.from(lines(3)) }], { source_id: 'case-70/c' })
    const { total } = await service.client.search({ q: '', order: '', source: 'case-7' })
    expect(total).toBe(4)
    await service.entriesClient.deleteSource({ sourceId: 'case-7' })
    expect(await service.sources()).toEqual({ 'case-70/c': 3 })
  })

  test('sets ingest_time to the time of arrival, whatever time an entry states; a repeated upload leaves it', async () => {
    await using service = await withService()
    const file = { name: 'old.log', content: Buffer.from('2019-03-01T09:15:02Z INFO started\n') }
    const before = Date.now()
    await service.upload([file])
    const after = Date.now()
    const [entry] = await service.entries()
    const came = Date.parse(entry?.ingestTime ?? '')
    expect(entry?.timestampIso).toBe('2019-03-01T09:15:02.000Z')
    expect(came).toBeGreaterThanOrEqual(before)
    expect(came).toBeLessThanOrEqual(after)
    await service.upload([file])
    expect((await service.entries()).map(({ ingestTime }) => ingestTime)).toEqual([entry?.ingestTime])
  })

  test('may have several files, compressed or not, with several sources', async () => {
    await using service = await withService()
    const task = await service.upload([
      { name: 'a.log', content: Buffer.from(lines(2)) },
      { name: 'b.log.gz', content: gzipSync(lines(3)) },
      { name: 'c.zip', content: zipOf([{ name: 'd', content: lines(4) }]) },
    ])
    expect(task.counts).toMatchObject({ lines: 9, entries: 9 })
    expect(await service.sources()).toEqual({ 'a.log': 2, 'b.log': 3, 'c/d': 4 })
  })

  test('of an archive with more files than there are parsers loses none', async () => {
    await using service = await withService()
    const files = Array.from({ length: 60 }, (_, index) => ({
      name: `${index}.log`,
      content: lines(3, `file ${index}`),
    }))
    const task = await service.upload([{ name: 'many.zip', content: zipOf(files) }])
    expect(task.counts).toMatchObject({ lines: 180, entries: 180 })
    expect(Object.keys(await service.sources())).toHaveLength(60)
  })

  test.each<[string, (content: string) => Buffer | Promise<Buffer>, string]>([
    ['gzip file', gzipSync, 'x'],
    ['zstd file', zstdCompressSync, 'x'],
    ['tar.gz archive', async (content) => gzipSync(await tarOf([{ name: 'a', content }])), 'x/a'],
  ])('of a truncated %s fails, stores the whole lines before that and reports them', async (_, pack, sourceId) => {
    await using service = await withService()
    const whole = await pack(lines(40_000))
    const half = whole.subarray(0, Math.floor(whole.length * 0.6))
    const failed = service.upload([{ name: 'x', content: half }])
    await expect(failed).rejects.toMatchObject({
      kind: 'malformed',
      detail: expect.stringMatching(/is truncated.* What was read before that is stored: [\d,]+ lines/),
    })
    expect((await service.sources())[sourceId]).toBe(1000)
    // No partial line was stored: all stored lines are part of the whole file.
    const again = await service.upload([{ name: 'x', content: whole }])
    expect(again.counts).toMatchObject({ lines: 40_000 })
    expect((again.counts?.entries ?? 0) + (again.counts?.duplicates ?? 0)).toBe(40_000)
    expect(again.counts?.duplicates).toBeGreaterThan(4_000)
  })

  test('without a readable file is rejected with an example of the reason', async () => {
    await using service = await withService()
    const zip = zipOf([{ name: 'a.log', content: 'x', isEncrypted: true }])
    await expect(service.upload([{ name: 'x.zip', content: zip }])).rejects.toMatchObject({
      kind: 'unsupported_media',
      detail: 'No file in x.zip can be read. For example, a.log: It is encrypted.',
    })
    await expect(service.upload([{ name: 'x.zip', content: zipOf([]) }])).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('named as an archive is rejected if it is neither archive nor text, and read if it is text', async () => {
    await using service = await withService()
    const noise = { name: 'support.zip', content: randomBytes(3_000) }
    await expect(service.upload([noise])).rejects.toMatchObject({
      kind: 'unsupported_media',
      detail: 'This is neither text nor a supported archive (gzip, zstd, zip or tar). It may be damaged or encrypted.',
    })
    const text = await service.upload([{ name: 'app.zip', content: Buffer.from(lines(3)) }])
    expect(text.counts).toMatchObject({ lines: 3, entries: 3 })
    expect(await service.sources()).toEqual({ app: 3 })
  })

  test('of a journal (export and json of journalctl) has its messages, times, severities and fields', async () => {
    await using service = await withService()
    const at = 1_717_860_261_221_373
    const size = Buffer.alloc(8)
    size.writeBigUInt64LE(9n)
    const exported = Buffer.concat([
      Buffer.from(
        `__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=${at}\nPRIORITY=3\n_SYSTEMD_UNIT=ssh.service\nMESSAGE=broken\n\n`,
      ),
      Buffer.from(`__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=${at + 1}\nMESSAGE\n`),
      size,
      Buffer.from('two\nlines\n\n'),
    ])
    const json = `${JSON.stringify({ __REALTIME_TIMESTAMP: String(at), PRIORITY: '3', MESSAGE: 'broken' })}\n`
    const task = await service.upload([
      { name: 'journal.export.gz', content: gzipSync(exported) },
      { name: 'journal.json', content: Buffer.from(json) },
    ])
    expect(task).toMatchObject({
      counts: { lines: 3, entries: 3, rejected: 0 },
      formats: { 'journal-export': 2, 'json-journald': 1 },
    })
    const entries = await service.entries()
    const seen = entries.map(({ sourceId, text, message, severity, timestampIso }) => [
      sourceId,
      text,
      message,
      severity ?? null,
      timestampIso,
    ])
    const time = '2024-06-08T15:24:21.221Z'
    expect(seen.toSorted()).toEqual([
      ['journal.export', 'broken', 'broken', 'ERROR', time],
      ['journal.export', 'two\nlines', 'two\nlines', null, time],
      ['journal.json', json.trim(), 'broken', 'ERROR', time],
    ])
    const [ssh] = entries.filter(({ text }) => text === 'broken')
    expect(JSON.parse(ssh?.fields ?? '{}')).toMatchObject({ _SYSTEMD_UNIT: 'ssh.service' })
    // The same export again, with its format named explicitly, stores no duplicates.
    const again = await service.upload([{ name: 'x', content: exported }], {
      source_id: 'journal.export',
      format: 'journal-export',
    })
    expect(again.counts).toMatchObject({ lines: 2, entries: 0, duplicates: 2 })
  })

  test('with more than SERVICE_MAX_UPLOAD_MB or, decompressed, SERVICE_MAX_EXPANDED_MB in total is too large', async () => {
    await using service = await withService({ SERVICE_MAX_UPLOAD_MB: '1', SERVICE_MAX_EXPANDED_MB: '2' })
    const content = Buffer.from(lines(50_000))
    const files = [0, 1, 2].map((index) => ({ name: `${index}`, content }))
    await expect(service.upload(files)).rejects.toMatchObject({
      kind: 'too_large',
      detail: expect.stringContaining('SERVICE_MAX_UPLOAD_MB'),
    })
    const packed = [0, 1, 2, 3, 4].map((index) => ({ name: `${index}`, content: gzipSync(content) }))
    await expect(service.upload(packed)).rejects.toMatchObject({
      kind: 'too_large',
      detail: expect.stringContaining('SERVICE_MAX_EXPANDED_MB'),
    })
  })

  test('that the sender aborts leaves its whole lines and no files on the disk', async () => {
    await using service = await withService()
    const zip = zipOf([{ name: 'a', content: lines(1_000), method: 'stored' }])
    async function* breaking() {
      yield zip.subarray(0, 300_000)
      throw new Error('The connection was lost.')
    }
    await expect(service.upload([{ name: 'x.zip', content: breaking() }])).rejects.toThrow()
    expect(await readdir(join(service.directory, 'spool'))).toEqual([])
    async function* text() {
      yield Buffer.from('one\ntwo\nthr')
      throw new Error('The connection was lost.')
    }
    await expect(service.upload([{ name: 'y', content: text() }])).rejects.toThrow()
    expect(await service.sources()).toEqual({ y: 2 })
  })

  test('with fields after its files, as many clients send them, applies them, or stores nothing', async () => {
    await using service = await withService()
    const small = ['a', 'b'].map((name) => ({ name, content: Buffer.from(lines(2, name)) }))
    const send = (files: readonly File[], fields: Record<string, string>) =>
      service.client.upload(form(files, {}, fields))
    await expect(send(small, { format: 'nosuch' })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(send(small, { colour: 'red' })).rejects.toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'colour'], msg: expect.stringContaining('source_id, format, year, timezone') }],
    })
    expect(await service.sources()).toEqual({})
    expect(await send(small, { source_id: 'ssh' })).toMatchObject({ counts: { entries: 4 } })
    expect(await service.sources()).toEqual({ ssh: 4 })
    const large = { name: 'large', content: Readable.from([Buffer.from(lines(1)), Buffer.alloc(2 ** 21, '\n')]) }
    await expect(send([large], { source_id: 'ssh' })).rejects.toMatchObject({
      kind: 'invalid',
      detail: [
        {
          loc: ['body', 'source_id'],
          msg: expect.stringMatching(/^Send source_id before the file.* is stored: 1 line/),
        },
      ],
    })
  })

  test('in an unknown format names the formats that are similar, and not all', async () => {
    await using service = await withService()
    const files = [{ name: 'x', content: Buffer.from('x') }]
    await expect(service.upload(files, { format: 'ngnix-error' })).rejects.toMatchObject({
      kind: 'invalid',
      detail: [
        {
          loc: ['body', 'format'],
          msg: expect.stringMatching(
            /"ngnix-error" is not a format. Did you mean nginx-error.*\? GET \/logs\/api\/formats lists them all\./,
          ),
        },
      ],
    })
  })
})

test('the source of a file in an archive has a limited length and differs between files', () => {
  const deep = 'folder/'.repeat(60)
  const ids = ['a.log', 'b.log', 'a.log.gz'].map((name) => memberSourceId('support', `${deep}${name}`))
  expect(ids.every((id) => id.length <= 253)).toBe(true)
  expect(ids[0]).not.toBe(ids[1])
  expect(ids[0]).toBe(ids[2])
  expect(memberSourceId('support', 'up/.gz')).toBe('support/up/.gz')
})
