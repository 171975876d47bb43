import { CommandFailure } from './failure.ts'

/** The REST API of a server. */
export type Client = {
  readonly origin: string
  /** Sends a request and returns the JSON of its answer. Throws CommandFailure with the server's words for an error. */
  readonly call: <Answer>(path: string, options?: CallOptions) => Promise<Answer>
  /**
   * Sends a request and returns its response, whatever the status. Rejects with CommandFailure if there is no answer, and with the reason of a signal
   * that has aborted.
   */
  readonly send: (path: string, options?: SendOptions) => Promise<Response>
}

export type CallOptions = {
  readonly method?: 'GET' | 'POST'
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
}

export type SendOptions = CallOptions & {
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the request, also while its body is read. By default a time limit does. */
  readonly signal?: AbortSignal
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

/** The failure that an error response describes. A value that the server refuses is one that the command was called wrongly with. */
export const failureOf = async (response: Response): Promise<CommandFailure> =>
  new CommandFailure(`${response.status}: ${detailOf(await response.text())}`, response.status === 422 ? 2 : 1)

/** A client of the server at an origin. `own` are headers of all requests, such as a key. */
export const createClient = (
  origin: string,
  stopped: AbortSignal,
  own: Readonly<Record<string, string>> = {},
): Client => {
  const send = async (
    path: string,
    {
      method = 'GET',
      query = {},
      body,
      headers = {},
      signal = AbortSignal.timeout(timeoutMilliseconds),
    }: SendOptions = {},
  ): Promise<Response> => {
    const url = new URL(path, origin)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    try {
      return await fetch(url, {
        method,
        signal: AbortSignal.any([stopped, signal]),
        headers: { ...own, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      stopped.throwIfAborted()
      throw new CommandFailure(`No answer from ${origin}: is the server running?`, 1, { cause })
    }
  }
  return {
    origin,
    send,
    call: async <Answer>(path: string, options: CallOptions = {}) => {
      const response = await send(path, options)
      if (!response.ok) throw await failureOf(response)
      const text = await response.text()
      return (text === '' ? {} : JSON.parse(text)) as Answer
    },
  }
}
