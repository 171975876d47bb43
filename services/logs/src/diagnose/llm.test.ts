import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createUpstream } from '../upstream/upstream.ts'
import { chat, ModelFailure } from './llm.ts'

type Behaviour = (response: ServerResponse, body: string, key: string | undefined) => void

/** A chat-completions server that does as it is told. */
const serve = async (behave: Behaviour) => {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += String(chunk)
    })
    request.on('end', () => behave(response, body, request.headers.authorization))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
const ask = async (baseUrl: string, limits = { stallMilliseconds: 500, totalMilliseconds: 5_000, characters: 500 }) => {
  let text = ''
  await using upstream = createUpstream({ blockPrivate: false })
  try {
    for await (const piece of chat({ baseUrl, model: 'm', apiKey: 'k' }, [{ role: 'user', content: 'q' }], {
      upstream,
      signal: new AbortController().signal,
      limits,
    }))
      text += piece
    return { text }
  } catch (error) {
    return { text, failure: error instanceof ModelFailure ? error.message : `unexpected: ${String(error)}` }
  }
}

describe('a language model', () => {
  test('is asked with its name and key, and its words come without its thinking, wherever they are cut', async () => {
    let asked: { body: string; key: string | undefined } | undefined
    await using server = await serve((response, body, key) => {
      asked = { body, key }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const stream = `: hello\n\n${delta('<thi')}${delta('nk>hm</think>The ')}${delta('disk is full. Ä')}data: [DONE]\n\n`
      for (const byte of Buffer.from(stream)) response.write(Buffer.from([byte]))
      response.end()
    })
    expect(await ask(server.baseUrl)).toEqual({ text: 'The disk is full. Ä' })
    expect(JSON.parse(asked?.body ?? '{}')).toMatchObject({ model: 'm', stream: true })
    expect(asked?.key).toBe('Bearer k')
  })

  test.each<[string, Behaviour, string]>([
    ['refuses', (response) => response.writeHead(401).end('{}'), 'answered 401'],
    ['stalls before it answers', () => undefined, 'stopped answering'],
    ['stalls in the middle', (response) => response.writeHead(200).write(delta('so ')), 'stopped answering'],
    ['breaks off', (response) => response.writeHead(200).end(delta('so ')), 'broke off'],
    [
      'is cut off',
      (response) => response.writeHead(200).write(delta('so '), () => response.destroy()),
      'cannot be reached',
    ],
    ['says what is no JSON', (response) => response.writeHead(200).end('data: {oops\n\n'), 'no JSON'],
    [
      'says that it failed',
      (response) => response.writeHead(200).end('data: {"error":{"message":"no memory"}}\n\n'),
      'no memory',
    ],
    ['says nothing', (response) => response.writeHead(200).end('data: [DONE]\n\n'), 'said nothing'],
    ['only thinks', (response) => response.writeHead(200).end(`${delta('<think>hm')}data: [DONE]\n\n`), 'said nothing'],
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
  ])('that %s is a failure that says so', async (_, behave, sentence) => {
    await using server = await serve(behave)
    expect((await ask(server.baseUrl)).failure).toContain(sentence)
  })

  test('that is not there is a failure that says so', async () => {
    expect((await ask('http://127.0.0.1:9/v1')).failure).toContain('cannot be reached')
  })
})
