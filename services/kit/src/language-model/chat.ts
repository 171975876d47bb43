import { setTimeout as pause } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { type Egress, EgressRefused, type EgressResponse, readUpTo } from '../egress/mod.ts'
import { messageOf } from '../errors/mod.ts'
import { parseRetryAfter } from '../retry/mod.ts'
import { createThinkingFilter, type ShownText } from './thinking-filter.ts'

/** A chat-completions server in the style of OpenAI, and a model that it serves. An empty key sends none. */
export type LanguageModel = { baseUrl: string; model: string; apiKey: string }
export type ChatMessage = { role: 'system' | 'user'; content: string }
/** A message with images, for models that see. */
export type ImageMessage = { role: 'user'; content: readonly ChatPart[] }
/** A part of a message: text, or an image at a URL, such as a data URL. */
export type ChatPart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

/** The model or its server failed; the message is a sentence for the user. */
export class LanguageModelError extends Error {
  override name = 'LanguageModelError'
  /** Whether the prompt exceeds the context of the model: a shorter one may succeed. */
  readonly isTooLong: boolean
  /** The status that the server refused with. */
  readonly status: number | undefined

  constructor(message: string, options: ErrorOptions & { isTooLong?: boolean; status?: number } = {}) {
    super(message, options)
    this.isTooLong = options.isTooLong === true
    this.status = options.status
  }
}

export type ChatLimits = {
  /** Time-out until the first byte, and between two events. */
  stallMilliseconds: number
  totalMilliseconds: number
  /** Maximum length of the reply. */
  characters: number
  /** A busy server is retried once, if its `Retry-After` is not longer than this. */
  busyMilliseconds: number
}

export const chatLimits: ChatLimits = {
  stallMilliseconds: 20_000,
  totalMilliseconds: 120_000,
  characters: 20_000,
  busyMilliseconds: 10_000,
}

export type ChatOptions = {
  upstream: Pick<Egress, 'fetch'>
  signal: AbortSignal
  limits?: ChatLimits
  /** JSON schema that the reply must satisfy, for servers that constrain their output; servers that do not may ignore or refuse it. */
  responseSchema?: { name: string; schema: Record<string, unknown> }
}

/** How a reply ended: the model was done, or stopped at the maximum length of its server. */
export type ChatEnd = 'complete' | 'cut'

const maxEventCharacters = 1024 * 1024
const maxBodyBytes = 4 * 1024 * 1024
const maxReasonCharacters = 300

const readBody = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const { bytes, isWhole } = await readUpTo(body, maxBodyBytes)
  if (!isWhole) throw new LanguageModelError('The model sent an answer that does not end.')
  return new TextDecoder().decode(bytes)
}

/** The data of server-sent events. An event longer than the limit is an error, so that memory is bounded. */
async function* eventsOf(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let events: string[] = []
  const parser = createParser({
    // Some servers leave out the blank line between events; each line of data is one chunk then.
    onEvent: ({ data }) => void events.push(...data.split('\n')),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded')
        throw new LanguageModelError('The model sent an event that does not end.', { cause: error })
    },
    maxBufferSize: maxEventCharacters,
  })
  for await (const chunk of body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* events
    events = []
  }
  // A server that closes behind its last event may leave out the blank line.
  parser.feed('\n\n')
  yield* events
}

const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined),
    value,
  )

/** Ends a sentence of the server with a full stop, where it lacks one. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

type Chunk = { text: string; finish: string | undefined }

/** The text of a chunk of a stream, or of a whole completion. Throws where the server sent an error in its place. */
const readChunk = (json: string): Chunk => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw new LanguageModelError('The model sent something that is no JSON.')
  }
  const error = at(value, 'error')
  if (error !== undefined && error !== null) {
    const reason = String(at(error, 'message') ?? error).slice(0, maxReasonCharacters)
    throw new LanguageModelError(sentence(`The model failed: ${reason}`))
  }
  const choice = at(value, 'choices', '0')
  const content = at(choice, 'delta', 'content') ?? at(choice, 'message', 'content')
  const finish = at(choice, 'finish_reason')
  return {
    text: typeof content === 'string' ? content : '',
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
  }
}

/** The URL of completions. Users often configure it in full in place of the base. */
const completionsUrl = (baseUrl: string): URL =>
  new URL(`${baseUrl.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`)

const toLanguageModelError = (error: unknown, hasResponded: boolean): LanguageModelError => {
  if (error instanceof LanguageModelError) return error
  if (error instanceof EgressRefused)
    return new LanguageModelError(`The model's address is refused. ${error.message}`, { cause: error })
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const what = hasResponded ? 'The model broke off' : 'The model cannot be reached'
  return new LanguageModelError(sentence(`${what}: ${messageOf(cause)}`), { cause: error })
}

/** How servers report that a prompt exceeds their context. */
const tooLong = /context (?:length|window|size)|maximum (?:context|number of tokens)|too (?:long|large|many tokens)/i

/** The error of a response that is not 2xx, with the server's reason; the key is masked in it. */
const refusalOf = async (response: EgressResponse, apiKey: string): Promise<LanguageModelError> => {
  let reason = ''
  try {
    const value: unknown = JSON.parse(await readBody(response.body))
    const found = at(value, 'error', 'message') ?? at(value, 'error') ?? at(value, 'detail') ?? at(value, 'message')
    if (typeof found === 'string') reason = found
  } catch {}
  const masked = apiKey === '' ? reason : reason.replaceAll(apiKey, '***')
  const shown = masked.slice(0, maxReasonCharacters).trim()
  const { status } = response
  return new LanguageModelError(sentence(`The model's server answered ${status}${shown === '' ? '' : `: ${shown}`}`), {
    status,
    isTooLong: status === 413 || (status < 500 && tooLong.test(reason)),
  })
}

/** `Retry-After` of a busy server in milliseconds; undefined where it is not busy or sends none. */
const retryAfter = (response: EgressResponse): number | undefined => {
  if (response.status !== 429 && response.status !== 503) return undefined
  const seconds = parseRetryAfter(response.headers.get('retry-after'), Date.now())
  return seconds === undefined ? undefined : seconds * 1000
}

const requestBody = (
  model: string,
  messages: readonly (ChatMessage | ImageMessage)[],
  schema: ChatOptions['responseSchema'],
): string =>
  JSON.stringify({
    model,
    messages,
    stream: true,
    ...(schema && { response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } } }),
  })

/**
 * Sends messages to a model and streams its reply without the model's thinking; `replaces` marks text that takes the place of all before it, since
 * that turned out to be thinking. Returns how the reply ended. Servers that do not stream are supported. Throws LanguageModelError when the server
 * cannot be reached, refuses, stalls, breaks off or sends no text, and the reason of the signal when that aborts.
 */
export async function* chat(
  { baseUrl, model, apiKey }: LanguageModel,
  messages: readonly (ChatMessage | ImageMessage)[],
  { upstream, signal, limits = chatLimits, responseSchema }: ChatOptions,
): AsyncGenerator<ShownText, ChatEnd> {
  const stalled = new AbortController()
  let stallTimer: NodeJS.Timeout | undefined
  const resetStall = () => {
    clearTimeout(stallTimer)
    const stall = () => stalled.abort(new LanguageModelError('The model stopped answering.'))
    stallTimer = setTimeout(stall, limits.stallMilliseconds)
  }
  const expire = () => stalled.abort(new LanguageModelError('The model took too long.'))
  const totalTimer = setTimeout(expire, limits.totalMilliseconds)
  const until = AbortSignal.any([signal, stalled.signal])
  const request = () => {
    resetStall()
    return upstream.fetch(completionsUrl(baseUrl), {
      method: 'POST',
      signal: until,
      headers: { 'content-type': 'application/json', ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }) },
      body: requestBody(model, messages, responseSchema),
    })
  }
  let hasResponded = false
  try {
    // Fetch refuses other characters in a header with an error that names neither the setting nor the key.
    if (!/^[ -~]*$/.test(apiKey))
      throw new LanguageModelError("The model's key has characters that no key can have: set it again.")
    let response = await request()
    const wait = retryAfter(response)
    if (wait !== undefined && wait <= limits.busyMilliseconds) {
      await response.body?.cancel()
      clearTimeout(stallTimer)
      await pause(wait, undefined, { signal: until })
      response = await request()
    }
    hasResponded = true
    if (!response.ok || !response.body) throw await refusalOf(response, apiKey)
    return yield* readReply(response, { resetStall, maxCharacters: limits.characters })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw toLanguageModelError(stalled.signal.aborted ? stalled.signal.reason : error, hasResponded)
  } finally {
    clearTimeout(stallTimer)
    clearTimeout(totalTimer)
  }
}

/** The chunks of a reply, streamed or whole, and `end` at the end of a stream. */
async function* chunksOf(response: EgressResponse, resetStall: () => void): AsyncGenerator<Chunk | 'end'> {
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    const whole = readChunk(await readBody(response.body))
    yield { ...whole, finish: whole.finish ?? 'stop' }
    return
  }
  let isStream = false
  for await (const data of eventsOf(response.body)) {
    resetStall()
    isStream = true
    if (data.trim() === '[DONE]') {
      yield 'end'
      return
    }
    yield readChunk(data)
  }
  if (!isStream)
    throw new LanguageModelError(
      "The model's server did not answer as a chat-completions server does: check the path of its address.",
    )
}

async function* readReply(
  response: EgressResponse,
  { resetStall, maxCharacters }: { resetStall: () => void; maxCharacters: number },
): AsyncGenerator<ShownText, ChatEnd> {
  const filter = createThinkingFilter()
  let characters = 0
  let finish: string | undefined
  for await (const chunk of chunksOf(response, resetStall)) {
    if (chunk === 'end') {
      finish ??= 'stop'
      break
    }
    finish = chunk.finish ?? finish
    const shown = filter.push(chunk.text)
    if (shown.text === '' && !shown.replaces) continue
    characters = (shown.replaces ? 0 : characters) + shown.text.length
    yield shown
    if (characters > maxCharacters) throw new LanguageModelError('The model does not come to an end.')
  }
  const rest = filter.end()
  characters = (rest.replaces ? 0 : characters) + rest.text.trim().length
  if (rest.text !== '' || rest.replaces) yield rest
  if (finish === undefined) throw new LanguageModelError('The model broke off.')
  if (characters === 0) throw new LanguageModelError('The model sent no text.')
  return finish === 'length' ? 'cut' : 'complete'
}

/** As `chat`, with the whole reply at once. */
export const complete = async (
  model: LanguageModel,
  messages: readonly (ChatMessage | ImageMessage)[],
  options: ChatOptions,
): Promise<{ text: string; end: ChatEnd }> => {
  const reply = chat(model, messages, options)
  let text = ''
  for (;;) {
    const step = await reply.next()
    if (step.done) return { text, end: step.value }
    text = step.value.replaces ? step.value.text : text + step.value.text
  }
}
