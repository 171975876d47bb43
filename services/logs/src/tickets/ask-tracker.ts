import { setTimeout as sleep } from 'node:timers/promises'
import { EgressRefused } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import { parseRetryAfter } from '@trellis/kit/retry'
import { parsedJson } from '../parsed-json.ts'
import type { TrackerContext } from './tracker.ts'

export type TrackerRequest = {
  /** What people call the tracker, for sentences. */
  title: string
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: unknown
  /** Words for people in an error's body, in the form of this tracker. */
  wordsOf: (body: unknown) => string | undefined
}

export type TrackerAnswer = { status: number; body: unknown; words: string }

const answerMilliseconds = 20_000
const maxAnswerBytes = 1024 * 1024
/** A tracker that asks for more patience than this is asked again by whoever wants the ticket. */
const longestPause = 10_000
const maxTries = 3
const maxWords = 500

const readText = async (body: AsyncIterable<unknown> | null): Promise<string> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    if (!(part instanceof Uint8Array)) continue
    size += part.length
    if (size > maxAnswerBytes) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const asFailure = (title: string, error: unknown, context: TrackerContext): unknown => {
  context.signal.throwIfAborted()
  if (error instanceof EgressRefused) return serviceError('upstream_failed', error.message, { cause: error })
  if (error instanceof Error && error.name === 'TimeoutError')
    return serviceError('upstream_timeout', `${title} did not answer within ${answerMilliseconds / 1_000} seconds.`, {
      cause: error,
    })
  const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
  return serviceError('upstream_failed', `${title} cannot be reached: ${why}`, { cause: error })
}

/** Asks a tracker once, and again where it says soon that it is asked too often. Throws `upstream_failed` or `upstream_timeout` where no answer comes. */
export const askTracker = async (request: TrackerRequest, context: TrackerContext): Promise<TrackerAnswer> => {
  const { title, method, url, headers, body, wordsOf } = request
  for (let tries = 1; ; tries++) {
    let answer: { status: number; text: string; pause: number | undefined }
    try {
      const response = await context.upstream.fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([context.signal, AbortSignal.timeout(answerMilliseconds)]),
      })
      const requested = parseRetryAfter(response.headers.get('retry-after'), Date.now()) ?? 1
      const pause = response.status === 429 ? requested * 1_000 : undefined
      answer = { status: response.status, text: await readText(response.body), pause }
    } catch (error) {
      throw asFailure(title, error, context)
    }
    const { status, text, pause } = answer
    if (pause !== undefined && pause <= longestPause && tries < maxTries) {
      await sleep(pause, undefined, { signal: context.signal })
      continue
    }
    const parsed = parsedJson(text)
    const words = (wordsOf(parsed) ?? text).replaceAll(/\s+/g, ' ').trim().slice(0, maxWords)
    return { status, body: parsed, words }
  }
}

/** The body of an answer that is a success. Throws `upstream_failed` with the tracker's words for another. */
export const expectSuccess = (title: string, { status, body, words }: TrackerAnswer): Record<string, unknown> => {
  if (status < 200 || status > 299) throw serviceError('upstream_failed', `${title} answered ${status}: ${words}`)
  if (!isObject(body)) throw serviceError('upstream_failed', `${title} answered with something that is no JSON object.`)
  return body
}

/** What a list in an answer has; nothing where the tracker does not let one look. Throws `upstream_failed` where it fails. */
export const listIn = (title: string, answer: TrackerAnswer, name: string): Record<string, unknown>[] => {
  if (answer.status >= 400 && answer.status <= 499) return []
  const list = expectSuccess(title, answer)[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
