import { createEgress } from '@trellis/kit/egress'
import { type Behaviour, delta, ended, serveChat as serve } from '@trellis/test/support/chat-server'
import { describe, expect, test } from 'vitest'
import { type ChatEnd, type ChatLimits, chat, LanguageModelError } from './chat.ts'

/** Ample, so that a busy machine fails no test. */
const patient: ChatLimits = {
  stallMilliseconds: 60_000,
  totalMilliseconds: 120_000,
  characters: 500,
  busyMilliseconds: 1_000,
}

const send = async (baseUrl: string, limits = patient, apiKey = 'sesame-42') => {
  let text = ''
  await using upstream = createEgress({ blockPrivate: false })
  const reply = chat({ baseUrl, model: 'm', apiKey }, [{ role: 'user', content: 'q' }], {
    upstream,
    signal: new AbortController().signal,
    limits,
  })
  try {
    for (;;) {
      const step = await reply.next()
      if (step.done) return { text, end: step.value as ChatEnd }
      text = step.value.replaces ? step.value.text : text + step.value.text
    }
  } catch (error) {
    if (!(error instanceof LanguageModelError)) return { text, failure: `unexpected: ${String(error)}` }
    return { text, failure: error.message, isTooLong: error.isTooLong }
  }
}

describe('a language model', () => {
  test('receives its name and key, and its reply is streamed without thinking, however it is split', async () => {
    let received: { body: string; key: string | undefined } | undefined
    await using server = await serve((response, body, key) => {
      received = { body, key }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const stream = `: hello\n\n${delta('<thi')}${delta('nk>hm</think>The ')}${delta('disk is full. Ä')}data: [DONE]\n\n`
      for (const byte of Buffer.from(stream)) response.write(Buffer.from([byte]))
      response.end()
    })
    expect(await send(server.baseUrl)).toEqual({ text: 'The disk is full. Ä', end: 'complete' })
    expect(JSON.parse(received?.body ?? '{}')).toMatchObject({ model: 'm', stream: true })
    expect(received?.key).toBe('Bearer sesame-42')
  })

  test('is called at one URL, whether its base or its full URL is configured', async () => {
    await using server = await serve((response) => response.end(`${delta('Yes.')}data: [DONE]\n\n`))
    for (const written of ['', '/', '/chat/completions', '/chat/completions/'])
      expect(await send(server.baseUrl + written), written).toEqual({ text: 'Yes.', end: 'complete' })
  })

  test.each<[string, Behaviour, string]>([
    ['refuses', (response) => response.writeHead(401).end('{}'), 'answered 401'],
    ['stalls before it answers', () => undefined, 'stopped answering'],
    ['stalls in the middle', (response) => response.writeHead(200).write(delta('so ')), 'stopped answering'],
    [
      'refuses in words',
      (response) => response.writeHead(400).end('{"error":{"message":"no model m for sesame-42"}}'),
      'answered 400: no model m for ***.',
    ],
    ['breaks off', (response) => response.writeHead(200).end(delta('so ')), 'broke off'],
    [
      'is cut off',
      (response) => response.writeHead(200).write(delta('so '), () => response.destroy()),
      'The model broke off: ',
    ],
    [
      'is no model but a page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>\n<p>Hello'),
      'did not answer as a chat-completions server does',
    ],
    ['sends invalid JSON', (response) => response.writeHead(200).end('data: {oops\n\n'), 'no JSON'],
    [
      'sends an error',
      (response) => response.writeHead(200).end('data: {"error":{"message":"no memory"}}\n\n'),
      'no memory.',
    ],
    ['sends no text', (response) => response.writeHead(200).end('data: [DONE]\n\n'), 'sent no text'],
    ['only thinks', (response) => response.writeHead(200).end(`${delta('<think>hm')}data: [DONE]\n\n`), 'sent no text'],
    [
      'does not end',
      (response) => response.writeHead(200).end(delta('x'.repeat(600)).repeat(3)),
      'does not come to an end',
    ],
    [
      'redirects',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'redirects to another host are not followed',
    ],
  ])('that %s fails with a sentence', async (_, behave, sentence) => {
    await using server = await serve(behave)
    const limits = sentence === 'stopped answering' ? { ...patient, stallMilliseconds: 500 } : patient
    expect((await send(server.baseUrl, limits)).failure).toContain(sentence)
  })

  test('whose context is too small fails as too long', async () => {
    const words = "This model's maximum context length is 4096 tokens."
    await using server = await serve((response) =>
      response.writeHead(400).end(JSON.stringify({ error: { message: words } })),
    )
    expect(await send(server.baseUrl)).toMatchObject({ isTooLong: true, failure: expect.stringContaining('4096') })
  })

  test('that does not stream is supported', async () => {
    await using server = await serve((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          JSON.stringify({ choices: [{ message: { content: '<thinking>x</thinking>Full.' }, finish_reason: 'stop' }] }),
        ),
    )
    expect(await send(server.baseUrl)).toEqual({ text: 'Full.', end: 'complete' })
  })

  test('may leave out [DONE] behind a finish reason, and reports a reply that was cut', async () => {
    await using whole = await serve((response) => response.writeHead(200).end(`${delta('Full.')}${ended('stop')}`))
    expect(await send(whole.baseUrl)).toEqual({ text: 'Full.', end: 'complete' })
    await using cut = await serve((response) => response.writeHead(200).end(`${delta('Fu')}${ended('length')}`))
    expect(await send(cut.baseUrl)).toEqual({ text: 'Fu', end: 'cut' })
  })

  test('that is busy is retried once after its Retry-After', async () => {
    let requests = 0
    await using server = await serve((response) => {
      requests += 1
      if (requests === 1) response.writeHead(429, { 'retry-after': '0' }).end()
      else response.writeHead(200).end(`${delta('Now.')}data: [DONE]\n\n`)
    })
    expect(await send(server.baseUrl)).toEqual({ text: 'Now.', end: 'complete' })
    await using never = await serve((response) => response.writeHead(503, { 'retry-after': '0' }).end())
    expect((await send(never.baseUrl)).failure).toContain('answered 503')
    await using later = await serve((response) => response.writeHead(429, { 'retry-after': '60' }).end())
    expect((await send(later.baseUrl)).failure).toContain('answered 429')
  })

  test('whose key cannot be sent fails with a sentence', async () => {
    expect((await send('http://127.0.0.1:9/v1', patient, '日本')).failure).toContain('characters that no key can have')
  })

  test('that cannot be reached fails with a sentence', async () => {
    expect((await send('http://127.0.0.1:9/v1')).failure).toContain('cannot be reached')
  })
})
