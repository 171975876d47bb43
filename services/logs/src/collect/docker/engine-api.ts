import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { messageOf } from '@trellis/kit/errors'
import { parsedJson } from '../../parsed-json.ts'
import { itemsUnlessSilent, unlessSilent } from '../unless-silent.ts'
import { type Container, type ContainerEngine, EngineFailed, readContainers } from './engine.ts'
import { readFrames } from './frames.ts'

/** Connects to an engine. */
export type Dial = (signal: AbortSignal) => Promise<Duplex>

const maxAnswerBytes = 32 * 1024 * 1024

export type EngineLimits = {
  /** From a request to its whole response. */
  answerMilliseconds: number
  /** Without any byte of a log: to find its position, the engine may read all before it. A container that is followed may be silent for any time. */
  silenceMilliseconds: number
}

const engineLimits: EngineLimits = { answerMilliseconds: 60_000, silenceMilliseconds: 300_000 }

/** Connects to a Unix socket of this machine. Throws EngineFailed. */
export const dialUnix =
  (path: string): Dial =>
  async (signal) => {
    const socket = connect(path)
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (cause) {
      socket.destroy()
      signal.throwIfAborted()
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
      const reason = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'this service may not open it' : code
      throw new EngineFailed(`The socket ${path} cannot be connected to: ${reason}.`, { cause })
    }
  }

const readAll = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxAnswerBytes) throw new EngineFailed(`The engine responded with more than ${maxAnswerBytes} bytes.`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const messageIn = (text: string): string => {
  const body = parsedJson(text)
  const hasMessage = typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
  return (hasMessage ? String(body.message) : text).slice(0, 500)
}

const throwBroken =
  (signal: AbortSignal) =>
  (cause: unknown): never => {
    signal.throwIfAborted()
    if (cause instanceof EngineFailed) throw cause
    const reason = messageOf(cause)
    throw new EngineFailed(`The connection to the engine was lost: ${reason}.`, { cause })
  }

/** The Engine API, which podman supports, too, over any connection. Each request has a connection of its own. */
export const createEngineApi = (dial: Dial, limits: EngineLimits = engineLimits): ContainerEngine => {
  /** Ends a request that is not answered, or an answer that stops. */
  const stopping = (stoppable: { destroy: () => unknown }, milliseconds: number) => () => {
    stoppable.destroy()
    return new EngineFailed(`The engine has not responded for ${Math.ceil(milliseconds / 1_000)} s.`)
  }
  /** The connection is closed with the response. */
  const get = async (path: string, signal: AbortSignal, milliseconds: number): Promise<IncomingMessage> => {
    const connection = await dial(signal)
    const sent = request({
      path,
      headers: { host: 'engine', connection: 'close' },
      createConnection: () => connection,
      signal,
    })
    sent.once('close', () => connection.destroy())
    sent.end()
    const responded = once(sent, 'response').catch(throwBroken(signal)) as Promise<[IncomingMessage]>
    const [answer] = await unlessSilent(responded, milliseconds, stopping(sent, milliseconds))
    sent.on('error', () => undefined)
    if (answer.statusCode === 200) return answer
    throw new EngineFailed(`The engine reports an error: ${messageIn(await wholeOf(answer))}`)
  }
  const wholeOf = (answer: IncomingMessage): Promise<string> =>
    unlessSilent(readAll(answer), limits.answerMilliseconds, stopping(answer, limits.answerMilliseconds))
  const getWhole = async (path: string, signal: AbortSignal): Promise<unknown> =>
    parsedJson(await wholeOf(await get(path, signal, limits.answerMilliseconds)))
  const hasTerminal = async ({ id }: Container, signal: AbortSignal): Promise<boolean> => {
    const details = await getWhole(`/containers/${encodeURIComponent(id)}/json`, signal)
    const config = typeof details === 'object' && details !== null && 'Config' in details ? details.Config : undefined
    return typeof config === 'object' && config !== null && 'Tty' in config && config.Tty === true
  }
  async function* chunksOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
    try {
      yield* answer as AsyncIterable<Buffer>
    } catch (error) {
      throwBroken(signal)(error)
    } finally {
      answer.destroy()
    }
  }
  return {
    list: async (signal) => readContainers(await getWhole('/containers/json?all=1', signal)),
    async *logs(container, { since, follows = false }, signal) {
      const isTerminal = await hasTerminal(container, signal)
      const query = new URLSearchParams({
        stdout: '1',
        stderr: '1',
        timestamps: '1',
        ...(since && { since }),
        ...(follows && { follow: '1' }),
      })
      const silence = limits.silenceMilliseconds
      const answer = await get(`/containers/${encodeURIComponent(container.id)}/logs?${query}`, signal, silence)
      const received = chunksOf(answer, signal)
      const chunks = follows ? received : itemsUnlessSilent(received, silence, stopping(answer, silence))
      // podman ends a part wherever its read ended.
      const partsAreFull = String(answer.headers.server).startsWith('Docker/')
      if (!isTerminal) yield* readFrames(chunks, partsAreFull)
      else for await (const bytes of chunks) yield { kind: 'terminal', bytes }
    },
  }
}
