import { CommandFailure } from './failure.ts'

/** The REST API of a server. */
export type Client = {
  readonly origin: string
  /** Sends a request and returns the JSON of its answer. Throws CommandFailure with the server's words for an error. */
  readonly call: <Answer>(path: string, options?: CallOptions) => Promise<Answer>
}

export type CallOptions = {
  readonly method?: 'GET' | 'POST'
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** Longer than the longest search takes. */
const timeoutMilliseconds = 120_000

/** The words of an error answer: `detail` is a sentence, a list of fields, or an object with a message. */
const detailOf = (text: string): string => {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
    if (Array.isArray(detail))
      return detail.map(({ loc, msg }: { loc: string[]; msg: string }) => `${loc.join('.')}: ${msg}`).join('; ')
    return JSON.stringify(detail ?? text)
  } catch {
    return text.slice(0, 500)
  }
}

export const createClient = (origin: string, stopped: AbortSignal): Client => ({
  origin,
  call: async <Answer>(path: string, { method = 'GET', query = {}, body }: CallOptions = {}) => {
    const url = new URL(path, origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    let response: Response
    try {
      response = await fetch(url, {
        method,
        signal: AbortSignal.any([stopped, AbortSignal.timeout(timeoutMilliseconds)]),
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      })
    } catch (cause) {
      stopped.throwIfAborted()
      throw new CommandFailure(`No answer from ${origin}: is the server running?`, 1, { cause })
    }
    const text = await response.text()
    // A value that the server refuses is one that the command was called wrongly with.
    if (!response.ok) throw new CommandFailure(`${response.status}: ${detailOf(text)}`, response.status === 422 ? 2 : 1)
    return (text === '' ? {} : JSON.parse(text)) as Answer
  },
})
