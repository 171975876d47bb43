import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { sample } from '@trellis/test/support/exploration'
import { sharedData } from '@trellis/test/support/shared-data'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { describe, expect, test } from 'vitest'
import { cleanLine } from './formats/clean.ts'
import { batchOf, openServiceForTests } from './service-for-tests.ts'
import { eventsOf } from './tail/events-for-tests.ts'

const open = async (dataDirectory?: string) => {
  const service = await openServiceForTests(dataDirectory === undefined ? {} : { dataDirectory })
  return {
    client: service.client(LogsServiceDefinition),
    directory: service.dataDirectory,
    [Symbol.asyncDispose]: service[Symbol.asyncDispose],
  }
}
type Client = Awaited<ReturnType<typeof open>>['client']

async function* form(files: { name: string; content: Buffer }[], fields: Record<string, string> = {}, wait = true) {
  yield { part: { $case: 'parameters' as const, value: { wait } } }
  for (const [name, value] of Object.entries(fields))
    yield { part: { $case: 'field' as const, value: { name, value } } }
  for (const { name, content } of files) {
    yield { part: { $case: 'file' as const, value: { name: 'file', filename: name, mediaType: 'text/plain' } } }
    for (let start = 0; start < content.length; start += 65_536)
      yield { part: { $case: 'chunk' as const, value: content.subarray(start, start + 65_536) } }
  }
}
async function* body(content: string, contentEncoding?: string) {
  yield { part: { $case: 'parameters' as const, value: { contentEncoding } } }
  yield { part: { $case: 'chunk' as const, value: Buffer.from(content) } }
}
const upload = (client: Client, content: string | Buffer, fields: Record<string, string> = {}) =>
  client.upload(form([{ name: 'app.log', content: Buffer.from(content) }], fields))
const search = (client: Client, q: string, more = {}) => client.search({ q, order: '', ...more })

const lookAlike = `Jun  4 15:16:01 attic sshd[7]: Failed password for root from 192.0.2.7 port 37033 ssh2
Jun  4 15:16:02 attic sshd[7]: Accepted publickey for kim
Jun  4 15:16:03 attic app[9]: worker crashed
\tat main (app.js:1)
`

describe('the log service', () => {
  test('stores an uploaded file, detects its format, and finds its entries', async () => {
    await using opened = await open()
    const task = await upload(opened.client, lookAlike, { source_id: 'attic:one:sshd', timezone: 'UTC', year: '2024' })
    expect(task).toMatchObject({
      status: 'done',
      counts: { lines: 4, entries: 3, duplicates: 0, rejected: 0, multilineJoined: 1 },
      formats: { 'syslog-rfc3164': 4 },
    })
    const found = await search(opened.client, '"failed password" 192.0.2.7', { domain: 'auth', source: 'attic:one' })
    expect(found).toMatchObject({ total: 1, totalIsExact: true, mode: 'bm25' })
    expect(found.entries[0]).toMatchObject({
      timestampIso: '2024-06-04T15:16:01.000Z',
      matchedPatterns: ['auth_failure'],
      message: 'Failed password for root from 192.0.2.7 port 37033 ssh2',
      sequence: 1,
    })
    expect((await opened.client.listSources({})).sources).toMatchObject([
      { sourceId: 'attic:one', entryCount: 3, unitCount: 1 },
    ])
  })

  test('the same file again adds nothing, compressed or not, even after a restart', async () => {
    await using folder = await temporaryDirectory()
    {
      await using opened = await open(folder.path)
      await upload(opened.client, lookAlike, { year: '2024' })
      expect((await upload(opened.client, gzipSync(lookAlike), { year: '2024' })).counts).toMatchObject({
        entries: 0,
        duplicates: 3,
      })
    }
    await using again = await open(folder.path)
    expect((await upload(again.client, lookAlike, { year: '2024' })).counts).toMatchObject({
      lines: 4,
      entries: 0,
      duplicates: 3,
      multilineJoined: 1,
    })
    expect((await search(again.client, 'attic')).total).toBe(3)
  })

  test.each<[string, { name: string; content: Buffer }[], Record<string, string>, string]>([
    ['no file', [], {}, 'invalid'],
    ['an unknown format', [{ name: 'x', content: Buffer.from('x') }], { format: 'nope' }, 'invalid'],
    ['an unknown zone', [{ name: 'x', content: Buffer.from('x') }], { timezone: 'Nowhere/Land' }, 'invalid'],
    ['a broken gzip file', [{ name: 'x.gz', content: gzipSync('hello'.repeat(999)).subarray(0, 20) }], {}, 'malformed'],
    ['a broken archive', [{ name: 'x.zip', content: Buffer.from('PK\x03\x04xxxxxxx') }], {}, 'malformed'],
    ['a bzip2 file', [{ name: 'x', content: Buffer.from('BZh91AY&SY') }], {}, 'unsupported_media'],
  ])('refuses %s with a reason', async (_, files, fields, kind) => {
    await using opened = await open()
    await expect(opened.client.upload(form(files, fields))).rejects.toMatchObject({ kind })
  })

  test('a task that was started without waiting can be followed to its end', async () => {
    await using opened = await open()
    const { taskId } = await opened.client.upload(form([{ name: 'a.log', content: Buffer.from(lookAlike) }], {}, false))
    const names: string[] = []
    for await (const frame of opened.client.watchTask({ taskId })) if (frame.event) names.push(frame.event.$case)
    expect(names.at(-1)).toBe('done')
    expect(await opened.client.getTask({ taskId })).toMatchObject({ status: 'done', counts: { entries: 3 } })
    await expect(opened.client.getTask({ taskId: 'nope' })).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('pushed entries retain the fields of their sender and are stored once', async () => {
    await using opened = await open()
    const entries = [
      { text: 'same', timestamp_iso: '2024-06-04T15:16:01Z' },
      { text: 'same', timestamp_iso: '2024-06-04T15:16:01Z' },
      { text: 'complete', timestamp_iso: 'soon', severity: 'WARN', sequence: 9, entry_id: 'mine', fields: { a: 1 } },
      { severity: 'WARN' },
      { text: 'x', severity: 'LOUD' },
    ]
    const push = () => opened.client.gleanBatch(body(JSON.stringify({ source_id: 'push', entries })))
    expect(await push()).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: [
        { index: 3, reason: 'text is missing.' },
        { index: 4, reason: expect.stringContaining('severity') },
      ],
    })
    expect(await push()).toMatchObject({ accepted: 0, duplicates: 3 })
    const [complete] = (await search(opened.client, 'complete')).entries
    expect(complete).toMatchObject({
      entryId: 'mine',
      sequence: 9,
      severity: 'WARN',
      timestampRaw: 'soon',
      fields: '{"a":1}',
    })
    const lines = entries.map((entry) => JSON.stringify({ ...entry, source_id: 'lines' })).join('\n')
    expect(await opened.client.gleanBatch(body(`${lines}\nnot json\n`))).toMatchObject({ accepted: 2, duplicates: 1 })
    await expect(opened.client.gleanBatch(body('not json'))).rejects.toMatchObject({ kind: 'malformed' })
    await expect(opened.client.gleanBatch(body('{}', 'br'))).rejects.toMatchObject({
      kind: 'unsupported_media',
      detail: 'The content encoding "br" is not supported: send the body with gzip, or without an encoding.',
    })
  })

  test('the tail shows history first and then new entries, each once, and resumes where it stopped', async () => {
    await using opened = await open()
    await upload(opened.client, 'one error\ntwo\nthree error\n')
    const stop = new AbortController()
    const seen: string[] = []
    let lastId = ''
    for await (const { id, text } of eventsOf(
      opened.client.tail({ q: 'error', history: 1 }, { signal: stop.signal }),
    )) {
      if (text === undefined) continue
      seen.push(text)
      lastId = id || lastId
      if (seen.length === 2) break
      const entries = [{ text: 'four error' }, { text: 'five' }, { text: 'six error' }]
      await opened.client.gleanBatch(body(JSON.stringify({ source_id: 'p', entries })))
    }
    stop.abort()
    expect(seen).toEqual(['three error', 'four error'])
    const resumed = new AbortController()
    const goneOn = opened.client.tail({ q: 'error', lastEventId: lastId }, { signal: resumed.signal })
    for await (const event of eventsOf(goneOn)) {
      expect(event).toMatchObject({ name: 'entry', text: 'six error' })
      break
    }
    resumed.abort()
    for await (const frame of opened.client.tail(
      { lastEventId: 'from-another-life' },
      { signal: AbortSignal.timeout(5_000) },
    )) {
      if (!frame.event) continue
      expect(frame.event.$case).toBe('reset')
      break
    }
  })

  test('the context of an entry is the entries around it in its source', async () => {
    await using opened = await open()
    await upload(opened.client, Array.from({ length: 30 }, (_, line) => `row ${line}`).join('\n'))
    await upload(opened.client, 'row of another\n', { source_id: 'another' })
    const [hit] = (await search(opened.client, '"row 15"')).entries
    const { entries } = await opened.client.getContext({ entryId: hit?.entryId ?? '', before: 2, after: 3 })
    expect(entries.map(({ text }) => text)).toEqual(['row 13', 'row 14', 'row 15', 'row 16', 'row 17', 'row 18'])
    await expect(opened.client.getContext({ entryId: 'f'.repeat(32) })).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a diagnosis names its keywords, its findings and the reasons', async () => {
    await using opened = await open()
    await upload(opened.client, lookAlike, { year: '2024' })
    const result = await opened.client.diagnose({ query: 'who failed the password?' })
    expect(result).toMatchObject({
      keywords: ['failed', 'password'],
      window: { source: 'default' },
      summary: { source: 'rules', byDomain: { auth: 1 } },
    })
    expect(result.suspectedCauses[0]).toMatchObject({ title: 'A sign-in failed' })
    const kinds: string[] = []
    for await (const frame of opened.client.diagnoseStream({ query: 'who failed the password?' }))
      if (frame.event) kinds.push(frame.event.$case)
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      'status',
      'summary',
      'entries',
      'reasoning',
      'done',
    ])
  })

  test.each([{ severity: 'LOUD' }, { domain: 'weather' }, { since: 'soon' }, { cursor: '!' }])(
    'a search with %j is refused',
    async (wrong) => {
      await using folder = await temporaryDirectory()
      await using opened = await open(folder.path)
      await expect(search(opened.client, 'x', wrong)).rejects.toMatchObject({ kind: 'invalid' })
    },
  )

  test('a cursor is valid for pages of its own search, of any length', async () => {
    await using folder = await temporaryDirectory()
    await using opened = await open(folder.path)
    await opened.client.upload(form([{ name: 'x', content: Buffer.from('door one\ndoor two\ndoor three\n') }], {}))
    const { nextCursor } = await search(opened.client, 'door', { limit: 1 })
    const cursor = nextCursor ?? ''
    expect((await search(opened.client, 'door', { limit: 2, cursor })).entries).toHaveLength(2)
    for (const [q, more] of [
      ['two', {}],
      ['door', { order: 'time' }],
      ['door', { source: 'x' }],
    ] as const)
      await expect(search(opened.client, q, { ...more, cursor })).rejects.toThrow('cursor is of another search')
  })

  test('facets count all matches, even of hundreds of sources', async () => {
    await using folder = await temporaryDirectory()
    await using opened = await open(folder.path)
    const entries = Array.from({ length: 300 }, (_, index) => ({ source_id: `s${index}`, text: 'door' }))
    await opened.client.gleanBatch(batchOf(entries))
    const { facets, total } = await search(opened.client, 'door')
    expect([total, facets?.source.reduce((sum, { count }) => sum + count, 0)]).toEqual([300, 300])
  })
})

const realLogs = sharedData('logs')

const filesUnder = async (folder: string): Promise<string[]> => {
  const names = (await readdir(folder)).toSorted()
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return (await stat(path)).isDirectory() ? filesUnder(path) : [path]
    }),
  )
  return found.flat().filter((path) => !/LICENSE|SOURCES|_structured\.csv/.test(path))
}

test.skipIf(realLogs === undefined)(
  'every line of shared real logs is stored and found again (needs the shared data beside the checkout)',
  async () => {
    const root = realLogs ?? ''
    await using folder = await temporaryDirectory()
    await using opened = await open(folder.path)
    for (const path of sample(await filesUnder(root), 27)) {
      const raw = await readFile(path)
      const content = path.endsWith('.gz') ? gunzipSync(raw) : raw
      const sourceId = relative(root, path)
      const { counts } = await opened.client.upload(form([{ name: 'x', content: raw }], { source_id: sourceId }))
      if (!counts) throw new Error('A finished task has counts.')
      expect(counts.entries + counts.duplicates + counts.rejected + counts.multilineJoined).toBe(counts.lines)
      const texts: string[] = []
      let cursor: string | undefined
      do {
        const page = await search(opened.client, '', { source: sourceId, limit: 1000, ...(cursor && { cursor }) })
        texts.push(...page.entries.map(({ text }) => text))
        cursor = page.nextCursor ?? undefined
      } while (cursor)
      const stored = new Map<string, number>()
      for (const line of texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== ''))
        stored.set(line, (stored.get(line) ?? 0) + 1)
      const lines = content
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .split('\n')
        .map(cleanLine)
        .filter((line) => line.trim() !== '')
      const missing = lines.filter((line) => {
        const left = stored.get(line) ?? 0
        stored.set(line, left - 1)
        return left === 0
      })
      expect({ sourceId, missing }).toEqual({ sourceId, missing: [] })
      expect(counts.lines).toBe(lines.length)
    }
  },
  180_000,
)
