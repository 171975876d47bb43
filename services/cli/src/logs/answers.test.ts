import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { runCommand, startCommand } from '@trellis/test/support/command-line'
import { describe, expect, onTestFinished, test } from 'vitest'

type Request = { url: URL; key: string | undefined; body: string }
type Answer = (request: Request, response: ServerResponse) => void

/** A server that answers as a test says, and what it was asked. */
const serve = async (answer: Answer) => {
  const requests: Request[] = []
  const server = createServer(async (message: IncomingMessage, response) => {
    const body = await text(message)
    const request = { url: new URL(message.url ?? '', 'http://x'), key: message.headers.authorization, body }
    requests.push(request)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const json =
  (value: unknown, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
const page =
  (status: number): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'text/html' })
      .end('<html>\n<head><title>Please\nsign in</title></head><body>\u001b[2J</body></html>')

const start = (words: readonly string[], origin: string) => startCommand(words, { TRELLIS_URL: origin })
const call = (words: readonly string[], origin: string, input = '', environment: Record<string, string> = {}) =>
  runCommand(words, { TRELLIS_URL: origin, ...environment }, input)

const nothing = { entries: [], total: 0, total_is_exact: true }
const stored = ({ body }: Request) => {
  const { length } = (JSON.parse(body) as { entries: unknown[] }).entries
  return { accepted: length, duplicates: 0, rejected: [] }
}

describe('a server below a path', () => {
  test.each(['/trellis', '/trellis/'])('is addressed below %s', async (path) => {
    const { origin, requests } = await serve(json(nothing))
    expect((await call(['logs', 'search', 'x'], `${origin}${path}`)).code).toBe(0)
    await call(['listings', 'search', 'x'], `${origin}${path}`)
    expect(requests.map(({ url }) => url.pathname)).toEqual([
      '/trellis/logs/api/search',
      '/trellis/listings/api/search',
    ])
  })
})

test.each([
  [true, 'Nothing was found.\n'],
  [false, 'Nothing was found, but a branch was not searched: it is stopped or does not respond.\n'],
])('a search without entries whose total is exact: %s', async (isExact, notes) => {
  const { origin } = await serve(json({ entries: [], total: 0, total_is_exact: isExact, next_cursor: null }))
  expect(await call(['logs', 'search', 'x'], origin)).toEqual({ code: 0, result: '', notes })
})

describe('what is no answer of Trellis', () => {
  test.each([
    [['logs', 'search', 'x']],
    [['logs', 'tail']],
    [['logs', 'diagnose', 'x']],
    [['logs', 'send', 'x']],
    [['listings', 'search', 'x']],
  ])('%j explains a page with status 200', async (words) => {
    const { origin } = await serve(page(200))
    expect(await call(words, origin, 'line\n')).toMatchObject({
      code: 1,
      result: '',
      notes: expect.stringMatching(/^What answers at http:\S+ is not Trellis.*\.\n$/),
    })
  })

  test('of an error page, the title is shown', async () => {
    const { origin } = await serve(page(403))
    expect(await call(['logs', 'search', 'x'], origin)).toMatchObject({ code: 1, notes: '403: Please sign in\n' })
  })

  test('an answer that is cut off is explained', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => response.destroy())
    })
    const called = await call(['logs', 'search', 'x'], origin)
    expect(called).toMatchObject({ code: 1, notes: expect.stringMatching(/^(The answer of|No answer from) .*\n$/) })
  })

  test('another address is named, and not followed without the key', async () => {
    const { origin, requests } = await serve(({ url }, response) =>
      response.writeHead(308, { location: `https://trellis.example.com${url.pathname}${url.search}` }).end(),
    )
    const environment = { SERVICE_API_KEY: 'secret' }
    const called = await call(['logs', 'send', 'x'], origin, 'line\n', environment)
    expect(called).toMatchObject({ code: 1, notes: expect.stringContaining('https://trellis.example.com: name that') })
    expect(requests).toHaveLength(1)
  })

  test('a key that no header can have is explained', async () => {
    const { origin, requests } = await serve(json(nothing))
    const called = await call(['logs', 'search', 'x'], origin, '', { SERVICE_API_KEY: 'schlüssel\u2028' })
    expect(called).toMatchObject({ code: 2, notes: expect.stringMatching(/^SERVICE_API_KEY has no key/) })
    expect(requests).toEqual([])
  })

  test('HTTPS where there is none is explained', async () => {
    const { origin } = await serve(json(nothing))
    const called = await call(['logs', 'search', 'x'], origin.replace('http:', 'https:'))
    expect(called).toMatchObject({ code: 1, notes: expect.stringContaining('it does not speak HTTPS there') })
  })
})

describe('trellis logs send', () => {
  test('a batch that a proxy refuses as too large is sent in parts', async () => {
    const lines: string[] = []
    const { origin } = await serve((request, response) => {
      const { entries } = JSON.parse(request.body) as { entries: { text: string }[] }
      if (entries.length > 3 || entries.some(({ text: line }) => line === 'long'))
        return json({}, 413)(request, response)
      lines.push(...entries.map(({ text: line }) => line))
      json(stored(request))(request, response)
    })
    const input = Array.from({ length: 10 }, (_, index) => (index === 7 ? 'long' : `line ${index}`))
    expect(await call(['logs', 'send', 'x'], origin, input.join('\n'))).toMatchObject({
      code: 1,
      result: 'Stored: 9 lines; refused: 1.\n',
      notes: expect.stringContaining('the line is too long'),
    })
    expect(lines).toEqual(input.filter((line) => line !== 'long'))
  })

  test.each([429, 500, 503])('lines wait while the server answers %d', async (status) => {
    let attempts = 0
    const { origin } = await serve((request, response) =>
      (attempts++ === 0 ? json({ detail: 'Busy.' }, status) : json(stored(request)))(request, response),
    )
    expect(await call(['logs', 'send', 'x'], origin, 'one\n')).toEqual({
      code: 0,
      result: 'Stored: 1 line.\n',
      notes: `${status}: Busy. The lines wait, and are sent when it answers.\n`,
    })
  })

  test('blank lines are no lines', async () => {
    const { origin, requests } = await serve((request, response) => json(stored(request))(request, response))
    expect((await call(['logs', 'send', 'x'], origin, 'a\n   \n\t\r\n\nb\n')).result).toBe('Stored: 2 lines.\n')
    expect(requests).toHaveLength(1)
  })
})

/** A stream of entries, in the form of the server. */
const entry = (id: string, arrival: string, position: string) =>
  `id: ${position}\nevent: entry\ndata: ${JSON.stringify({ entry_id: id, timestamp_iso: null, ingest_time: arrival, severity: null, source_id: 's', message: id, text: id })}\n\n`

describe('trellis logs tail', () => {
  const follow = async (streams: readonly string[]) => {
    let connection = 0
    const { origin, requests } = await serve((_, response) => {
      const stream = streams[connection++]
      response.writeHead(200, { 'content-type': 'text/event-stream', date: 'Sun, 01 Mar 2026 09:00:00 GMT' })
      response.write(stream ?? '\n')
      if (connection < streams.length) response.end()
    })
    const tail = start(['logs', 'tail'], origin)
    return { ...tail, shown: () => [...tail.result().matchAll(/ s {2}(\S+)/g)].map(([, id]) => id), requests }
  }

  test('goes on where it began, even if nothing had arrived', async () => {
    const { shown, requests } = await follow(['id: p.1\n\n', `id: p.1\n\n${entry('a', '2026-03-01T09:00:01Z', 'p.2')}`])
    await expect.poll(shown).toEqual(['a'])
    expect(requests.map(({ url }) => url.searchParams.get('last_event_id'))).toEqual([null, 'p.1'])
  })

  test('notes which branches stop responding, once, and when all are followed again', async () => {
    const missing = (position: string, branches: readonly string[]) =>
      `id: ${position}\nevent: branches_missing\ndata: ${JSON.stringify({ branches })}\n\n`
    const { notes, shown } = await follow([
      `id: p.1\n\n${missing('p.1', ['barn'])}`,
      `id: p.1\n\n${missing('p.1', ['barn'])}${missing('p.1', ['attic', 'barn'])}${missing('p.1', [])}${entry('a', '2026-03-01T09:00:01Z', 'p.2')}`,
    ])
    await expect.poll(shown).toEqual(['a'])
    expect(
      notes()
        .split('\n')
        .filter((line) => /branch/.test(line)),
    ).toEqual([
      'Entries of the branch barn do not arrive: it is stopped or does not respond.',
      'Entries of the branches attic, barn do not arrive: they are stopped or do not respond.',
      'All branches are followed again.',
    ])
  })

  test('prints entries that became visible in another order than they arrived in', async () => {
    const { shown } = await follow([
      `id: p.1\n\n${entry('a', '2026-03-01T09:00:01.500Z', 'p.2')}`,
      `id: p.2\n\n${entry('b', '2026-03-01T09:00:01.200Z', 'p.3')}`,
      `id: p.3\n\n${entry('c', '2026-03-01T08:59:00.000Z', 'p.4')}`,
    ])
    await expect.poll(shown).toEqual(['a', 'b', 'c'])
  })

  test('after a gap, the history has what was missed, once', async () => {
    const { shown, notes, requests } = await follow([
      `id: p.1\n\n${entry('a', '2026-03-01T09:00:01Z', 'p.2')}`,
      'id: p.2\n\nevent: gap\ndata: {"missed":null}\n\n',
      ['id: q.1\n\n', entry('old', '2026-03-01T08:00:00Z', 'q.1~.=1'), entry('a', '2026-03-01T09:00:01Z', 'q.1~.=2')]
        .concat(entry('b', '2026-03-01T09:00:02Z', 'q.1'), entry('c', '2026-03-01T09:00:03Z', 'q.2'))
        .join(''),
    ])
    await expect.poll(shown).toEqual(['a', 'b', 'c'])
    expect(notes()).not.toContain('missed')
    expect(requests.map(({ url }) => url.searchParams.get('last_event_id'))).toEqual([null, 'p.2', null])
  })

  test('says that entries may be missed when a whole history is new', async () => {
    const history = Array.from({ length: 1_000 }, (_, index) =>
      entry(`e${index}`, '2026-03-01T09:00:02Z', index === 999 ? 'q.1' : `q.1~.=${index}`),
    )
    const { shown, notes } = await follow([
      `id: p.1\n\n${entry('a', '2026-03-01T09:00:01Z', 'p.2')}`,
      'id: q.0\nevent: reset\ndata: {}\n\n',
      `id: q.1\n\n${history.join('')}`,
    ])
    await expect.poll(() => shown().length).toBe(1_001)
    await expect.poll(notes).toContain('Some entries may have been missed')
  })

  test('a server that is overloaded is waited for, and its words are shown', async () => {
    let attempts = 0
    const { origin } = await serve((request, response) => {
      if (attempts++ === 0) return json({ detail: 'Too many streams.' }, 429)(request, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(entry('a', '2026-03-01T09:00:01Z', 'p.2'))
    })
    const { result, notes } = start(['logs', 'tail'], origin)
    await expect.poll(result).toContain('  a')
    expect(notes()).toBe('429: Too many streams. Trying again.\nConnected again.\n')
  })
})

describe('a reader that ends early', () => {
  test.each([['search'], ['tail']])('of %s is no failure', async (command) => {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ timestamp_iso: null, ingest_time: '2026-03-01T09:00:01Z', severity: null, source_id: 's' },
      ...{ entry_id: String(index), message: 'x'.repeat(1_000), text: '' },
    }))
    const { origin } = await serve((request, response) => {
      if (command === 'search') return json({ ...nothing, entries, total: 1_000 })(request, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const value of entries)
        response.write(`id: ${value.entry_id}\nevent: entry\ndata: ${JSON.stringify(value)}\n\n`)
    })
    const { child, closed } = start(['logs', command], origin)
    child.stdout.once('data', () => child.stdout.destroy())
    const { code, notes } = await closed
    expect({ code, stack: notes.includes('EPIPE') }).toEqual({ code: 0, stack: false })
  })
})
