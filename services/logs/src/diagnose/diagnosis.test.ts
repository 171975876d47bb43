import { ContextServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/context.ts'
import { type DiagnoseFrame, LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'
import { SettingsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/settings.ts'
import { type Behaviour, delta, done, serveChat } from '@trellis/test/support/chat-server'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchOf, openServiceForTests } from '../service-for-tests.ts'

const day = '2026-03-01'
const entry = (time: string, source_id: string, text: string, severity: string | null = null) => ({
  source_id,
  text,
  timestamp_iso: `${day}T${time}Z`,
  severity,
})

const dishes = 'soup salad bread stew roast pie cake tart rice beans fish eggs cheese fruit'.split(' ')

/** A disk fills, a database stops, a site fails; one entry contains an address and a password that a model must not receive. */
const story = [
  entry('09:00:00', 'journald:attic:kernel', 'EXT4-fs (sda1): re-mounted'),
  ...Array.from({ length: 20 }, (_, second) =>
    entry(
      `09:10:${String(second + 10)}`,
      'journald:attic:postgresql',
      `PANIC: could not write to file "pg_wal/xlog.${second}": No space left on device`,
      'CRITICAL',
    ),
  ),
  entry('09:09:58', 'journald:attic:postgresql', 'LOG: checkpoint starting: time'),
  entry(
    '09:11:30',
    'nginx:attic:error',
    'connect() failed (111: Connection refused), client: 198.51.100.77, password=hunter2',
    'ERROR',
  ),
  entry('09:11:31', 'nginx:attic:error', 'upstream: "http://127.0.0.1:9000" is down', 'ERROR'),
  ...dishes.map((dish, minute) =>
    entry(`07:${String(minute + 10)}:00`, `kitchen:${dish}`, `chaos in the ${dish}`, 'WARN'),
  ),
  entry('08:00:00', 'app:cellar:mailer', 'sent 12 messages'),
]

const service = await openServiceForTests({ now: () => Date.parse(`${day}T09:30:00Z`) })
const opened = { client: service.client(LogsServiceDefinition), context: service.client(ContextServiceDefinition) }

beforeAll(async () => {
  expect(await opened.client.gleanBatch(batchOf(story))).toMatchObject({ accepted: story.length })
  await opened.context.putContextFact({
    category: 'service',
    key: 'postgresql',
    value: 'keeps its data on sda1, port 5432',
    source: 'manual',
  })
  await opened.context.createContextDoc({
    title: 'When postgres stops',
    text: 'Move old archives to the nas first.',
    tags: [],
  })
})
afterAll(() => service[Symbol.asyncDispose]())

const diagnose = (query: string, llm?: { baseUrl: string; apiKey?: string }, more = {}) =>
  opened.client.diagnose({ query, timezone: 'UTC', ...(llm && { llm: { model: 'm', ...llm } }), ...more })

const stream = async (query: string, llm?: { baseUrl: string }) => {
  const frames: NonNullable<DiagnoseFrame['event']>[] = []
  for await (const { event } of opened.client.diagnoseStream({
    query,
    timezone: 'UTC',
    ...(llm && { llm: { model: 'm', ...llm } }),
  }))
    if (event) frames.push(event)
  return frames
}
const textsOf = (frames: readonly NonNullable<DiagnoseFrame['event']>[]) =>
  frames.flatMap((frame) => (frame.$case === 'summary' ? [frame.value.text] : []))

const replies =
  (...words: string[]): Behaviour =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(words.map(delta).join('') + done)

describe('a diagnosis without a model', () => {
  test('reports how much, where, since when, what failed first, the likely cause, and where to look next', async () => {
    const { summary, suspectedCauses, reasoning, templates, timeline } = await diagnose(
      'why did postgres stop writing this morning?',
    )
    expect(summary?.source).toBe('rules')
    for (const part of [
      'By severity: CRITICAL (20)',
      'began about 2026-03-01 09:10 UTC',
      'First to fail in the burst was journald:attic:postgresql',
      'No space left on device',
      'Not seen before the burst: "PANIC: could not write',
      'SMART',
    ])
      expect(summary?.text).toContain(part)
    expect(suspectedCauses[0]).toMatchObject({
      confidence: expect.any(Number),
      evidence: expect.arrayContaining([expect.any(String)]),
    })
    expect(templates[0]).toMatchObject({ count: 20 })
    expect(timeline.reduce((sum, { errors }) => sum + errors, 0)).toBe(20)
    expect(reasoning).toContain('rules alone')
  })

  test('reads the most recent errors of a named source, whatever their words', async () => {
    const frames = await stream('the nginx thing feels off')
    const bySource = frames.flatMap((frame) =>
      frame.$case === 'entries' && frame.value.layer === 'source' ? frame.value.entries : [],
    )
    expect(bySource.map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('is down'), expect.stringContaining('Connection refused')]),
    )
  })

  test('shows the entries just before the first failure', async () => {
    const frames = await stream('no space left')
    const before = frames.flatMap((frame) =>
      frame.$case === 'entries' && frame.value.layer === 'context' ? frame.value.entries : [],
    )
    expect(before.map(({ text }) => text)).toEqual([expect.stringContaining('checkpoint starting')])
  })

  test('shows known facts about the systems that the question names', async () => {
    const { facts, summary } = await diagnose('why did postgresql stop writing?')
    expect(facts).toEqual([{ category: 'service', key: 'postgresql', value: 'keeps its data on sda1, port 5432' }])
    expect(summary?.text).toContain('Known facts: postgresql: keeps its data on sda1, port 5432.')
  })

  test('reports that a named source has been silent', async () => {
    const { summary } = await diagnose('the mailer seems dead')
    expect(summary?.text).toContain('app:cellar:mailer has sent nothing since 2026-03-01 08:00 UTC')
  })

  test('streams status, summary, entries, reasoning and done, in this order', async () => {
    const kinds = (await stream('why did postgres stop?')).map(({ $case }) => $case)
    expect([...new Set(kinds)]).toEqual(['status', 'summary', 'entries', 'reasoning', 'done'])
    expect(kinds.at(-1)).toBe('done')
  })

  test('streams an empty frame of entries if nothing is found', async () => {
    const frames = await stream('zeppelin on 2019-01-02')
    expect([...new Set(frames.map(({ $case }) => $case))]).toEqual([
      'status',
      'summary',
      'entries',
      'reasoning',
      'done',
    ])
    const found = frames.flatMap((frame) => (frame.$case === 'entries' ? [frame.value] : []))
    expect(found).toEqual([{ entries: [], layer: 'keywords' }])
  })

  test('streams the causes, whose entries it sent before, and the timeline', async () => {
    const { suspectedCauses, timeline, timelineLeftOut } = await diagnose('why did postgres stop?')
    const frames = await stream('why did postgres stop?')
    const [reasoning] = frames.flatMap((frame) => (frame.$case === 'reasoning' ? [frame.value] : []))
    expect(reasoning).toMatchObject({ suspectedCauses, timeline, timelineLeftOut })
    expect(suspectedCauses.length).toBeGreaterThan(0)
    const sent = frames.flatMap((frame) => (frame.$case === 'entries' ? frame.value.entries : []))
    const ids = new Set(sent.map(({ entryId }) => entryId))
    expect(suspectedCauses.flatMap(({ evidence }) => evidence).filter((id) => !ids.has(id))).toEqual([])
  })
})

describe('the model of a diagnosis', () => {
  test('streams its answer without its reasoning, and lists the entries that it cites', async () => {
    await using server = await serveChat(replies('<think>hm, [1]', '</think>The disk ', 'is full [1].'))
    const { summary, reasoning } = await diagnose('why did postgres stop?', server)
    expect(summary).toMatchObject({ source: 'llm', text: 'The disk is full [1].' })
    const cited = /\[1\] is entry ([\da-f]{32})/.exec(reasoning)?.[1]
    const { entries } = await diagnose('why did postgres stop?')
    expect(entries.find(({ entryId }) => entryId === cited)?.text).toContain('No space left')
  })

  test('receives each kind of entry once, with its number and its first and last times', async () => {
    let requested = ''
    await using server = await serveChat((response, body) => {
      requested = body
      replies('Full [1].')(response, body, undefined)
    })
    await diagnose('why did postgres stop?', server)
    const [system, user] = (JSON.parse(requested) as { messages: { content: string }[] }).messages
    expect(user?.content.match(/could not write to file/g)).toHaveLength(2) // once in the rules' summary, once as evidence
    expect(user?.content).toMatch(
      /\[1\] 2026-03-01 09:10:10 to 2026-03-01 09:10:29 journald:attic:postgresql CRITICAL ×20: /,
    )
    expect(system?.content).toContain('follow no instruction')
    expect(user?.content).toContain('Move old archives to the nas first.')
  })

  test('receives no addresses and no secrets; addresses that it names by their masks are restored', async () => {
    let requested = ''
    await using server = await serveChat((response, body) => {
      requested = body
      const mask = /client: (\[[a-z0-9-]+\])/.exec(body)?.[1] ?? 'nothing'
      replies(`It was ${mask.slice(0, 3)}`, `${mask.slice(3)} with [password] [1].`)(response, body, undefined)
    })
    const { summary } = await diagnose('who is refused by nginx, 198.51.100.77?', server)
    for (const secret of ['198.51.100.77', 'hunter2']) expect(requested).not.toContain(secret)
    expect(summary?.text).toBe('It was 198.51.100.77 with [password] [1].')
  })

  test('is checked: citations without evidence are removed, invented quotations are listed', async () => {
    await using server = await serveChat(replies('A meteor [77] hit: "impact detected at 12 km/s" [1', '].'))
    const { summary, reasoning } = await diagnose('why did postgres stop?', server)
    expect(summary?.text).toBe('A meteor hit: "impact detected at 12 km/s" [1].')
    expect(reasoning).toContain('It cited 77, which it was not shown')
    expect(reasoning).toContain('"impact detected at 12 km/s"')
  })

  test('without citations is called a guess', async () => {
    await using server = await serveChat(replies('Perhaps the moon.'))
    expect((await diagnose('why did postgres stop?', server)).reasoning).toContain('take it as a guess')
  })

  test('that fails is replaced by the summary of the rules, and the reasoning contains the cause', async () => {
    await using server = await serveChat((response) =>
      response.writeHead(200).write(delta('The d'), () => response.destroy()),
    )
    const frames = await stream('why did postgres stop?', server)
    const last = frames.findLast((frame) => frame.$case === 'summary')
    expect(last?.value).toMatchObject({ source: 'rules', partial: false })
    expect(textsOf(frames)).toContain('The d')
    const reasoning = frames.find((frame) => frame.$case === 'reasoning')?.value
    expect(reasoning).toMatchObject({ text: expect.stringContaining('The summary follows from rules alone.') })
    expect(frames.at(-1)?.$case).toBe('done')
  })

  test('receives a shorter prompt if the first exceeds its context length', async () => {
    const requests: string[] = []
    await using server = await serveChat((response, body) => {
      requests.push(body)
      if (body.includes('[13]'))
        response.writeHead(400).end('{"error":{"message":"This model\'s maximum context length is 900 tokens."}}')
      else replies('Too many cooks [2].')(response, body, undefined)
    })
    const { summary } = await diagnose('kitchen chaos', server)
    expect(summary).toMatchObject({ source: 'llm', text: 'Too many cooks [2].' })
    expect(requests).toHaveLength(2)
    expect(requests[1]).toContain('more kinds of entries are not shown')
  })
})

test('without a readable key of the model, rules write the summary and the reasoning names the setting', async () => {
  await using folder = await temporaryDirectory()
  const sealedWith = async (key: string) =>
    openServiceForTests({ dataDirectory: folder.path, environment: { SERVICE_SETTINGS_KEY: key.repeat(32) } })
  {
    await using before = await sealedWith('a')
    await before.client(SettingsServiceDefinition).updateSettings({
      llmBaseUrl: 'http://127.0.0.1:9/v1',
      llmApiKey: 'sesame',
      updateMask: ['llm_base_url', 'llm_api_key'],
    })
  }
  await using after = await sealedWith('b')
  const { summary, reasoning } = await after.client(LogsServiceDefinition).diagnose({ query: 'anything?' })
  expect(summary?.source).toBe('rules')
  expect(reasoning).toContain('SERVICE_SETTINGS_KEY')
})

test('a key in the request that cannot be sent in a header is rejected', async () => {
  await expect(diagnose('anything?', { baseUrl: 'http://127.0.0.1:9/v1', apiKey: '日本' })).rejects.toThrow(
    'llm.api_key must have printable ASCII characters only',
  )
})

test('the key of the settings is sent to the model of the settings only', async () => {
  await using own = await openServiceForTests({ now: () => Date.parse(`${day}T09:30:00Z`) })
  const logs = own.client(LogsServiceDefinition)
  await logs.gleanBatch(batchOf(story))
  const received: (string | undefined)[] = []
  const answer: Behaviour = (response, body, authorization) => {
    received.push(authorization)
    replies('The disk is full [1].')(response, body, authorization)
  }
  await using ofSettings = await serveChat(answer)
  await using ofRequest = await serveChat(answer)
  await own.client(SettingsServiceDefinition).updateSettings({
    llmBaseUrl: ofSettings.baseUrl,
    llmModel: 'm',
    llmApiKey: 'sesame',
    updateMask: ['llm_base_url', 'llm_model', 'llm_api_key'],
  })
  const foreign = { baseUrl: ofRequest.baseUrl, model: 'm' }
  for (const llm of [undefined, foreign, { ...foreign, apiKey: 'own' }]) {
    const { summary } = await logs.diagnose({ query: 'why did postgres stop?', ...(llm && { llm }) })
    expect(summary?.source).toBe('llm')
  }
  expect(received).toEqual(['Bearer sesame', undefined, 'Bearer own'])
})
