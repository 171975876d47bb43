import { setTimeout as pause } from 'node:timers/promises'
import { type Egress, EgressRefused, type EgressResponse } from '@trellis/kit/egress'
import { messageOf } from '@trellis/kit/errors'
import { canStandInHeader } from '../settings/kinds.ts'
import { createThinkingFilter, type Shown } from './thinking.ts'

export type LanguageModel = { baseUrl: string; model: string; apiKey: string }
export type ChatMessage = { role: 'system' | 'user'; content: string }

/** A model that failed: what happened, for the reader of a diagnosis. */
export class ModelFailure extends Error {
  override name = 'ModelFailure'
  /** Whether it was asked more than fits into its context; less may do. */
  readonly isTooLong: boolean

  constructor(message: string, options: ErrorOptions & { isTooLong?: boolean } = {}) {
    super(message, options)
    this.isTooLong = options.isTooLong === true
  }
}

export type ChatLimits = {
  /** Until the first byte, and between two pieces. */
  stallMilliseconds: number
  totalMilliseconds: number
  characters: number
  /** A server that is busy and says for how long is asked once more, if it is not longer than this. */
  busyMilliseconds: number
}

export const chatLimits: ChatLimits = {
  stallMilliseconds: 20_000,
  totalMilliseconds: 120_000,
  characters: 20_000,
  busyMilliseconds: 10_000,
}

export type ChatOptions = { upstream: Pick<Egress, 'fetch'>; signal: AbortSignal; limits?: ChatLimits }

/** How a reply ended: whether the model was done, or stopped at the length that its server allows. */
export type ChatEnd = 'complete' | 'cut'

const maxLine = 1024 * 1024
const maxAnswer = 4 * 1024 * 1024
const maxWords = 300

/** Lines of an event stream, whatever the chunks; a line past the limit is an error, not memory. */
async function* linesOf(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    if (rest.length > maxLine) throw new ModelFailure('The model sent a line that does not end.')
    yield* lines
  }
  if (rest !== '') yield rest
}

const bodyOf = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxAnswer) throw new ModelFailure('The model sent an answer that does not end.')
  }
  return text
}

type Piece = { text: string; finish: string | undefined } | 'end' | undefined

/** What a line of the stream says; undefined for comments and what is not understood. */
const pieceOf = (line: string): Piece => {
  if (!line.startsWith('data:')) return undefined
  const data = line.slice(5).trim()
  return data === '[DONE]' ? 'end' : saidIn(data)
}

/** The words of a chunk of a stream, or of a whole answer. Throws ModelFailure for an error in their place. */
const saidIn = (json: string): Exclude<Piece, 'end'> => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new ModelFailure('The model sent something that is no JSON.')
  }
  const error = at(value, 'error')
  if (error !== undefined && error !== null)
    throw new ModelFailure(sentence(`The model failed: ${String(at(error, 'message') ?? error).slice(0, maxWords)}`))
  const choice = at(value, 'choices', '0')
  const content = at(choice, 'delta', 'content') ?? at(choice, 'message', 'content')
  const finish = at(choice, 'finish_reason')
  return {
    text: typeof content === 'string' ? content : '',
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
  }
}

const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined),
    value,
  )

/** Where a server is asked: many write down the whole address instead of the one before it. */
const completionsOf = (baseUrl: string): URL =>
  new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`)

/** A server's words, with the full stop that they may lack. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

const reasonOf = (error: unknown, hasAnswered: boolean): ModelFailure => {
  if (error instanceof ModelFailure) return error
  if (error instanceof EgressRefused)
    return new ModelFailure(`The model's address is refused. ${error.message}`, { cause: error })
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const happened = hasAnswered ? 'The model broke off' : 'The model cannot be reached'
  const why = messageOf(cause)
  return new ModelFailure(sentence(`${happened}: ${why}`), { cause: error })
}

/** How servers say that a question is longer than their context. */
const tooLong = /context (?:length|window|size)|maximum (?:context|number of tokens)|too (?:long|large|many tokens)/i

/** What a server that refuses says, in its words; the key is none of them. */
const refusalOf = async (response: EgressResponse, apiKey: string): Promise<ModelFailure> => {
  let words = ''
  try {
    const body = await bodyOf(response.body)
    const value: unknown = JSON.parse(body)
    const said = at(value, 'error', 'message') ?? at(value, 'error') ?? at(value, 'detail') ?? at(value, 'message')
    if (typeof said === 'string') words = said
  } catch {}
  const shown = (apiKey === '' ? words : words.replaceAll(apiKey, '***')).slice(0, maxWords).trim()
  return new ModelFailure(
    sentence(`The model's server answered ${response.status}${shown === '' ? '' : `: ${shown}`}`),
    {
      isTooLong: response.status === 413 || (response.status < 500 && tooLong.test(words)),
    },
  )
}

/** After how long a busy server may be asked again; undefined for one that does not say, or that is not busy. */
const busyFor = (response: EgressResponse): number | undefined => {
  if (response.status !== 429 && response.status !== 503) return undefined
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

/**
 * Asks a chat-completions server in the style of OpenAI and gives its words as they come, without its thinking, anew where what came turns
 * out to be thinking; returns how they ended.
 * A server that does not stream is understood, too. Throws ModelFailure when it cannot be reached, refuses, stalls, breaks off, or says nothing.
 */
export async function* chat(
  { baseUrl, model, apiKey }: LanguageModel,
  messages: readonly ChatMessage[],
  { upstream, signal, limits = chatLimits }: ChatOptions,
): AsyncGenerator<Shown, ChatEnd> {
  const stalled = new AbortController()
  let watch: NodeJS.Timeout | undefined
  const alive = () => {
    clearTimeout(watch)
    watch = setTimeout(() => stalled.abort(new ModelFailure('The model stopped answering.')), limits.stallMilliseconds)
  }
  const total = setTimeout(() => stalled.abort(new ModelFailure('The model took too long.')), limits.totalMilliseconds)
  const until = AbortSignal.any([signal, stalled.signal])
  const ask = () => {
    alive()
    return upstream.fetch(completionsOf(baseUrl), {
      method: 'POST',
      signal: until,
      headers: { 'content-type': 'application/json', ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, messages, stream: true }),
    })
  }
  let hasAnswered = false
  try {
    if (!canStandInHeader(apiKey))
      throw new ModelFailure("The model's key has characters that no key can have: set it again.")
    let response = await ask()
    const busy = busyFor(response)
    if (busy !== undefined && busy <= limits.busyMilliseconds) {
      await response.body?.cancel()
      clearTimeout(watch)
      await pause(busy, undefined, { signal: until })
      response = await ask()
    }
    hasAnswered = true
    if (!response.ok || !response.body) throw await refusalOf(response, apiKey)
    return yield* wordsIn(response, { alive, characters: limits.characters })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw reasonOf(stalled.signal.aborted ? stalled.signal.reason : error, hasAnswered)
  } finally {
    clearTimeout(watch)
    clearTimeout(total)
  }
}

/** What an answer says, a piece at a time. */
async function* piecesOf(response: EgressResponse, alive: () => void): AsyncGenerator<Exclude<Piece, undefined>> {
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    const whole = saidIn(await bodyOf(response.body))
    if (whole) yield { ...whole, finish: whole.finish ?? 'stop' }
    return
  }
  let isStream = false
  for await (const line of linesOf(response.body)) {
    alive()
    const piece = pieceOf(line)
    isStream ||= piece !== undefined
    if (piece !== undefined) yield piece
    if (piece === 'end') return
  }
  if (!isStream)
    throw new ModelFailure(
      "The model's server did not answer as a chat-completions server does: check the path of its address.",
    )
}

async function* wordsIn(
  response: EgressResponse,
  { alive, characters: max }: { alive: () => void; characters: number },
): AsyncGenerator<Shown, ChatEnd> {
  const filter = createThinkingFilter()
  let characters = 0
  let finish: string | undefined
  for await (const piece of piecesOf(response, alive)) {
    if (piece === 'end') {
      finish ??= 'stop'
      break
    }
    finish = piece.finish ?? finish
    const shown = filter.push(piece.text)
    if (shown.text === '' && !shown.isAnew) continue
    characters = (shown.isAnew ? 0 : characters) + shown.text.length
    yield shown
    if (characters > max) throw new ModelFailure('The model does not come to an end.')
  }
  const rest = filter.end()
  characters = (rest.isAnew ? 0 : characters) + rest.text.trim().length
  if (rest.text !== '' || rest.isAnew) yield rest
  if (finish === undefined) throw new ModelFailure('The model broke off.')
  if (characters === 0) throw new ModelFailure('The model said nothing.')
  return finish === 'length' ? 'cut' : 'complete'
}
