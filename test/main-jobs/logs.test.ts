import { once } from 'node:events'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEvents } from '../support/events.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'

type Entry = {
  entry_id: string
  text: string
  severity: string | null
  source_id: string
  timestamp_iso: string | null
  sequence: number
}
type Page = {
  entries: Entry[]
  total: number
  total_is_exact: boolean
  next_cursor: string | null
  facets: Record<string, { value: string; count: number }[]>
}

const syslog = [
  'Mar  1 09:15:00 garden sshd[811]: Accepted publickey for ann from 192.0.2.7 port 51022 ssh2',
  'Mar  1 09:15:02 garden nginx[99]: upstream timed out while reading response header from upstream',
  'Mar  1 09:15:03 garden kernel: Out of memory: Killed process 4242 (java) total-vm:8052220kB',
  'Mar  1 09:15:04 garden app[7]: error: cannot open the ledger',
  '',
].join('\n')

const upload = async (
  origin: string,
  content: Uint8Array | string,
  fields: Record<string, string> = {},
  query = '?wait=true',
) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([content as string]), 'garden.log')
  const response = await fetch(`${origin}/logs/api/ingest/upload${query}`, { method: 'POST', body: form })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const search = async (origin: string, query: string): Promise<Page> =>
  (await (await fetch(`${origin}/logs/api/search?${query}`)).json()) as Page

describe('the main job of logs', () => {
  let trellis: Trellis
  beforeAll(async () => {
    trellis = await startTrellis()
  })
  afterAll(() => trellis[Symbol.asyncDispose]())

  test('an upload is recognised, stored and counted; the same again stores nothing twice', async () => {
    const { status, body } = await upload(trellis.origin, syslog, {
      source_id: 'garden',
      year: '2026',
      timezone: 'UTC',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'done',
      counts: { lines: 4, entries: 4, duplicates: 0, rejected: 0, multiline_joined: 0 },
      formats: { 'syslog-rfc3164': 4 },
    })
    const again = await upload(trellis.origin, gzipSync(syslog), { source_id: 'garden', year: '2026', timezone: 'UTC' })
    expect(again.body).toMatchObject({ counts: { lines: 4, entries: 0, duplicates: 4 } })
  })

  test('words, phrases, prefixes and exclusions find it, with severity, facets and time', async () => {
    const { origin } = trellis
    const memory = await search(origin, 'q=%22out+of+memory%22')
    expect(memory.entries).toMatchObject([
      { severity: 'CRITICAL', source_id: 'garden', timestamp_iso: '2026-03-01T09:15:03.000Z', sequence: 3 },
    ])
    expect((await search(origin, 'q=upstr*+-accepted')).total).toBe(1)
    expect((await search(origin, 'q=ledger&severity=ERROR')).entries.map(({ text }) => text)).toEqual([
      expect.stringContaining('ledger'),
    ])
    const all = await search(origin, '')
    expect(all.total).toBe(4)
    expect(all.facets.source).toEqual([{ value: 'garden', count: 4 }])
    expect(all.entries.map(({ sequence }) => sequence)).toEqual([4, 3, 2, 1])
  })

  test('pages through all that matches without loss or repeat', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Page = await search(trellis.origin, `limit=1${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)
      seen.push(...page.entries.map(({ entry_id }) => entry_id))
      cursor = page.next_cursor
    }
    expect(new Set(seen).size).toBe(4)
    expect(seen).toHaveLength(4)
  })

  test('the tail shows what comes in, after what it is asked to remember', async () => {
    const events = await readEvents(`${trellis.origin}/logs/api/tail?history=2`, (_event, all) => all.length === 3, {
      onOpen: async () => {
        await upload(trellis.origin, 'Mar  1 09:20:00 garden app[7]: the ledger is open again\n', {
          source_id: 'garden',
          year: '2026',
        })
      },
    })
    expect(events.map(({ event }) => event)).toEqual(['entry', 'entry', 'entry'])
    expect(events.at(-1)?.data).toMatchObject({ text: expect.stringContaining('open again') })
  })

  test('a diagnosis streams status, summary, entries, reasoning and done, and is useful without any model', async () => {
    const events = await readEvents(`${trellis.origin}/logs/api/diagnose/stream`, ({ event }) => event === 'done', {
      headers: { 'content-type': 'application/json' },
      init: {
        method: 'POST',
        body: JSON.stringify({
          query: 'the java app was killed, out of memory',
          since: '2026-03-01T00:00:00Z',
          until: '2026-03-02T00:00:00Z',
        }),
      },
    })
    const names = events.map(({ event }) => event)
    expect(names[0]).toBe('status')
    expect(names.indexOf('summary')).toBeLessThan(names.indexOf('entries'))
    expect(names.indexOf('entries')).toBeLessThan(names.indexOf('reasoning'))
    expect(names.at(-1)).toBe('done')
    const summary = events.find(({ event }) => event === 'summary')?.data
    expect(summary).toMatchObject({ source: 'rules', by_domain: { memory: expect.any(Number) } })
    expect(JSON.stringify(events)).toContain('Killed process 4242')
  })
})

describe('killing the process', () => {
  /** Sends an upload slowly, and the kill in its middle. */
  const killedUpload = async (trellis: Trellis, lines: number) => {
    const boundary = 'x'.repeat(20)
    const sending = request(`${trellis.origin}/logs/api/ingest/upload`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    sending.on('error', () => undefined)
    sending.write(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="big.log"\r\n\r\n`)
    for (let line = 0; line < lines; line += 1) {
      const text = `2026-03-01T10:00:00.${String(line % 1_000).padStart(3, '0')}Z INFO worker item ${line} done\n`
      if (!sending.write(text)) await once(sending, 'drain')
    }
    await trellis.stop('SIGKILL')
    sending.destroy()
  }

  test('in the middle of an upload loses no acknowledged entry, and the next start needs no repair', async () => {
    await using directory = await temporaryDirectory()
    const { path: dataDirectory } = directory
    const known = Array.from(
      { length: 2_000 },
      (_, line) => `2026-03-01T09:00:00Z WARN keeper entry ${line} kept\n`,
    ).join('')
    {
      await using first = await startTrellis({}, { dataDirectory })
      expect((await upload(first.origin, known, { source_id: 'keeper' })).body).toMatchObject({
        counts: { entries: 2_000 },
      })
      const acknowledged = await fetch(`${first.origin}/logs/api/glean/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ source_id: 'pushed', entries: [{ text: 'pushed and acknowledged' }] }),
      })
      expect(await acknowledged.json()).toMatchObject({ accepted: 1, rejected: [] })
      await killedUpload(first, 50_000)
    }
    await using second = await startTrellis({}, { dataDirectory })
    expect((await search(second.origin, 'q=keeper&limit=1')).total).toBe(2_000)
    expect((await search(second.origin, 'q=acknowledged')).total).toBe(1)
    const { body } = await upload(second.origin, known, { source_id: 'keeper' })
    expect(body).toMatchObject({ counts: { entries: 0, duplicates: 2_000 } })
    expect(second.output()).not.toMatch(/"level":"(error|warn)"/)
  })
})
