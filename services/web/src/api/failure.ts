/** One invalid value of a request: `field` is its name, such as `min_price`. */
export type FieldFailure = { field: string; message: string }

export type FailureFacts = {
  /** The HTTP status, or 0 if the server could not be reached. */
  status: number
  detail: string
  fields?: readonly FieldFailure[]
  requestId?: string | null
  retryAfterSeconds?: number | null
  /** The answer's body, for routes whose errors have more fields. */
  body?: unknown
}

/** A request that the server refused or that did not reach it, in the server's words. */
export class Failure extends Error {
  readonly facts: FailureFacts

  constructor(facts: FailureFacts, options?: ErrorOptions) {
    super(facts.detail, options)
    this.name = 'Failure'
    this.facts = facts
  }

  get status(): number {
    return this.facts.status
  }

  /** What is wrong with the value of a field, such as `min_price`. */
  messageFor(field: string): string | undefined {
    return this.facts.fields?.find((failure) => failure.field === field)?.message
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Parts of a request; what follows in the place of an invalid value is its name, which may be one of these words. */
const places = ['body', 'query', 'path', 'header']

const isSentence = (message: string): boolean => /^[A-Z].*\.$/.test(message)

const fieldFailure = (item: unknown): FieldFailure[] => {
  if (!isRecord(item)) return []
  const loc = Array.isArray(item.loc) ? item.loc.map(String) : []
  const path = places.includes(loc[0] ?? '') ? loc.slice(1) : loc
  const message = String(item.msg ?? 'is invalid')
  // A value of the path has no name that the user knows: a whole sentence about it is shown as it is.
  if (loc[0] === 'path' && isSentence(message)) return [{ field: '', message }]
  const [first, ...rest] = message.split(' ')
  return [{ field: path.join('.'), message: first === path.at(-1) ? rest.join(' ') : message }]
}

const initialisms = /\b(?:api|dns|id|llm|ssh|url)\b/gi

/** `crossfade_ms` as `Crossfade ms`, and `llm_base_url` as `LLM base URL`. */
const inWords = (field: string): string => {
  if (field === 'q') return 'The search'
  const words = field.replaceAll(/[._]+/g, ' ').replaceAll(initialisms, (letters) => letters.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What is wrong with values, as sentences. */
export const sentenceOf = (fields: readonly FieldFailure[], labels: Readonly<Record<string, string>> = {}): string =>
  fields
    .map(({ field, message }) => {
      if (field === '') return message
      const isPredicate = /^(?:must|is|has|needs|cannot|may)\b/.test(message)
      return `${labels[field] ?? inWords(field)}${isPredicate ? '' : ':'} ${message}`
    })
    .join('. ')

const fallbackSentence = (status: number): string =>
  status === 502 || status === 503 || status === 504
    ? 'The server is not ready. Try again in a moment.'
    : `The server answered with status ${status}.`

/** Reads an error from an answer's status and JSON body. */
export const failureOf = (status: number, body: unknown, headers: Pick<Headers, 'get'>): Failure => {
  const detail = isRecord(body) ? body.detail : undefined
  const fields = Array.isArray(detail) ? detail.flatMap(fieldFailure) : []
  const nested = isRecord(detail) && typeof detail.message === 'string' ? detail.message : undefined
  const sentence = typeof detail === 'string' ? detail : (nested ?? (sentenceOf(fields) || fallbackSentence(status)))
  const seconds = Number(headers.get('retry-after'))
  return new Failure({
    status,
    detail: sentence,
    fields,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: seconds > 0 ? seconds : null,
    body,
  })
}

/** The failure that any thrown value stands for. */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  if (error instanceof TypeError)
    return new Failure(
      { status: 0, detail: 'The server cannot be reached. Check that it runs and that you are online.' },
      { cause: error },
    )
  if (error instanceof SyntaxError)
    return new Failure({ status: 0, detail: 'The answer of the server was cut off. Try again.' }, { cause: error })
  return new Failure({ status: 0, detail: error instanceof Error ? error.message : String(error) }, { cause: error })
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'
