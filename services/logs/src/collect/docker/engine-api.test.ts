import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { createEngineApi, dialUnix } from './engine-api.ts'

const limits = { answerMilliseconds: 50, silenceMilliseconds: 50 }
const container = { id: 'a', name: 'web', labels: {}, isRunning: false }
const signal = new AbortController().signal

/** An engine on a socket whose answers are the test's. */
const openEngine = async (listener: RequestListener) => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await temporaryDirectory())
  const socket = join(folder.path, 'engine.sock')
  const server = createServer(listener).listen(socket)
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const stack = opened.move()
  return { api: createEngineApi(dialUnix(socket), limits), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
const readLogs = async ({ logs }: ReturnType<typeof createEngineApi>) => {
  for await (const part of logs(container, { since: undefined }, signal)) expect(part.kind).toBe('frame')
}
const silent = 'The engine has not responded for 1 s.'

test('an engine that does not answer, or stops in an answer, ends after the limit', async () => {
  await using mute = await openEngine(() => undefined)
  await expect(mute.api.list(signal)).rejects.toThrow(silent)
  await expect(readLogs(mute.api)).rejects.toThrow(silent)
  await using stopping = await openEngine((_, response) => void response.write('[{'))
  await expect(stopping.api.list(signal)).rejects.toThrow(silent)
})

test('a log that stops within a frame ends after the limit, unless it is followed', async () => {
  const frame = Buffer.from('\x01\0\0\0\0\0\0\x08one two\n\x01\0\0', 'latin1')
  await using engine = await openEngine(({ url }, response) => {
    if (url?.endsWith('/json')) response.end('{"Config":{"Tty":false}}')
    else response.write(frame)
  })
  await expect(readLogs(engine.api)).rejects.toThrow(silent)
  const ending = AbortSignal.timeout(200)
  const following = Array.fromAsync(engine.api.logs(container, { since: undefined, follows: true }, ending))
  await expect(following).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('an answer that is no list of containers is an error, not an engine without containers', async () => {
  await using engine = await openEngine((_, response) => void response.end('{"message":"Forbidden"}'))
  await expect(engine.api.list(signal)).rejects.toThrow('The engine does not respond with a list of containers.')
})
