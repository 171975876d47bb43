import { type Upstream, UpstreamRefused } from '../upstream/upstream.ts'
import { createThinkingFilter } from './thinking.ts'

export type LanguageModel = { baseUrl: string; model: string; apiKey: string }
export type ChatMessage = { role: 'system' | 'user'; content: string }

/** A model that failed: what happened, for the reader of a diagnosis. */
export class ModelFailure extends Error {
  override name = 'ModelFailure'
}

export type ChatLimits = {
  /** Until the first byte, and between two pieces. */
  stallMilliseconds: number
  totalMilliseconds: number
  characters: number
}

export const chatLimits: ChatLimits = { stallMilliseconds: 20_000, totalMilliseconds: 120_000, characters: 20_000 }

export type ChatOptions = { upstream: Pick<Upstream, 'fetch'>; signal: AbortSignal; limits?: ChatLimits }

const mostLine = 1024 * 1024

/** Lines of an event stream, whatever the chunks; a line past the limit is an error, not memory. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    if (rest.length > mostLine) throw new ModelFailure('The model sent a line that does not end.')
    yield* lines
  }
  if (rest !== '') yield rest
}

type Piece = { text: string } | 'end' | undefined

/** What a line of the stream says; undefined for comments and what is not understood. */
const pieceOf = (line: string): Piece => {
  if (!line.startsWith('data:')) return undefined
  const data = line.slice(5).trim()
  if (data === '[DONE]') return 'end'
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new ModelFailure('The model sent something that is no JSON.')
  }
  const error = at(value, 'error')
  if (error !== undefined && error !== null)
    throw new ModelFailure(`The model failed: ${String(at(error, 'message') ?? error)}`)
  const content =
    at(at(at(value, 'choices'), '0'), 'delta', 'content') ?? at(at(at(value, 'choices'), '0'), 'message', 'content')
  return typeof content === 'string' && content !== '' ? { text: content } : undefined
}

const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[key] : undefined),
    value,
  )

const reasonOf = (error: unknown): string => {
  if (error instanceof ModelFailure) return error.message
  if (error instanceof UpstreamRefused) return `The model's address is refused. ${error.message}`
  if (error instanceof Error && error.cause instanceof Error)
    return `The model cannot be reached: ${error.cause.message}.`
  return `The model cannot be reached: ${error instanceof Error ? error.message : String(error)}.`
}

/**
 * Asks a chat-completions server in the style of OpenAI and gives its words as they come, without its thinking.
 * Throws ModelFailure when it cannot be reached, refuses, stalls, breaks off, or says nothing.
 */
export async function* chat(
  { baseUrl, model, apiKey }: LanguageModel,
  messages: readonly ChatMessage[],
  { upstream, signal, limits = chatLimits }: ChatOptions,
): AsyncGenerator<string> {
  const stalled = new AbortController()
  let watch: NodeJS.Timeout | undefined
  const alive = () => {
    clearTimeout(watch)
    watch = setTimeout(() => stalled.abort(new ModelFailure('The model stopped answering.')), limits.stallMilliseconds)
  }
  const total = setTimeout(() => stalled.abort(new ModelFailure('The model took too long.')), limits.totalMilliseconds)
  const filter = createThinkingFilter()
  let characters = 0
  let isComplete = false
  try {
    alive()
    const address = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`)
    const response = await upstream.fetch(address, {
      method: 'POST',
      signal: AbortSignal.any([signal, stalled.signal]),
      headers: { 'content-type': 'application/json', ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ model, messages, stream: true }),
    })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw new ModelFailure(`The model's server answered ${response.status}.`)
    }
    for await (const line of linesOf(response.body)) {
      alive()
      const piece = pieceOf(line)
      if (piece === 'end') {
        isComplete = true
        break
      }
      const text = piece === undefined ? '' : filter.push(piece.text)
      if (text === '') continue
      characters += text.length
      yield text
      if (characters > limits.characters) throw new ModelFailure('The model does not come to an end.')
    }
    const rest = filter.end()
    characters += rest.trim().length
    if (rest !== '') yield rest
    if (!isComplete) throw new ModelFailure('The model broke off.')
    if (characters === 0) throw new ModelFailure('The model said nothing.')
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new ModelFailure(reasonOf(stalled.signal.aborted ? stalled.signal.reason : error), { cause: error })
  } finally {
    clearTimeout(watch)
    clearTimeout(total)
  }
}
