import type { Chunks } from './peeked.ts'

const code = (character: string): number => character.charCodeAt(0)
const quote = code('"')
const backslash = code('\\')
const comma = code(',')
const colon = code(':')
const openObject = code('{')
const closeObject = code('}')
const openArray = code('[')
const closeArray = code(']')
const lineFeed = code('\n')

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)
const byteOrderMark = Buffer.from('\ufeff')

/**
 * Where exports have their entries: CloudTrail and Azure, CloudWatch, its subscriptions, Elasticsearch, Kubernetes lists, and APIs in general. A
 * document with an array elsewhere is one entry: it may be an object of a log that has a list of something.
 */
const knownArrays: ReadonlySet<string> = new Set([
  'Records',
  'records',
  'events',
  'logEvents',
  'hits.hits',
  'items',
  'entries',
  'logs',
  'value',
  'data',
  'results',
])
/** The depth of the last key in `knownArrays`. */
const maxKnownDepth = 2

/**
 * Documents up to this size are read completely before they are divided: one that is followed by another is a line of a log. A line is cut at much
 * less.
 */
const maxHeldBytes = 8 * 1024 * 1024
/** Longer keys are none of `knownArrays`. */
const maxKeyBytes = 64
/** What is around the array is kept up to this size. */
const maxEnvelopeBytes = 64 * 1024

/** The state of a position in JSON: whether it is in a string, and in how many objects and arrays. */
const createScanner = () => {
  let isInString = false
  let isEscaped = false
  let depth = 0
  return {
    get isInString() {
      return isInString
    },
    get depth() {
      return depth
    },
    pass: (byte: number): void => {
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isInString = false
      } else if (byte === quote) isInString = true
      else if (byte === openObject || byte === openArray) depth++
      else if (byte === closeObject || byte === closeArray) depth--
    },
  }
}

/**
 * What a text is by its first bytes: `elements` is an array of objects, `document` one object and nothing after it, and `lines` everything else.
 * `push` returns undefined while that is not known.
 */
const createProbe = () => {
  const scanner = createScanner()
  let state: 'start' | 'array' | 'element' | 'object' | 'after' = 'start'
  let size = 0
  const next = (byte: number): 'elements' | 'lines' | undefined => {
    if (state === 'object') {
      scanner.pass(byte)
      if (scanner.depth === 0) state = 'after'
      return undefined
    }
    if (isSpace(byte) || (state === 'start' && byteOrderMark.includes(byte))) return undefined
    if (state === 'element') return byte === quote ? 'elements' : 'lines'
    if (state === 'array') {
      if (byte !== openObject) return 'lines'
      // Not `[{main}]`, as lines of a log may begin.
      state = 'element'
      return undefined
    }
    if (state === 'after' || (byte !== openArray && byte !== openObject)) return 'lines'
    state = byte === openArray ? 'array' : 'object'
    if (state === 'object') scanner.pass(byte)
    return undefined
  }
  return {
    push: (chunk: Uint8Array): 'elements' | 'document' | 'lines' | undefined => {
      size += chunk.length
      for (const byte of chunk) {
        const kind = next(byte)
        if (kind !== undefined) return kind
      }
      if (size < maxHeldBytes) return undefined
      return state === 'object' ? 'document' : 'lines'
    },
    end: (): 'document' | 'lines' => (state === 'object' || state === 'after' ? 'document' : 'lines'),
  }
}

/** Bytes of a known maximum number. */
const createBytes = (maxBytes: number) => {
  const bytes = Buffer.allocUnsafe(maxBytes)
  let size = 0
  return {
    add: (byte: number): void => {
      if (size < maxBytes) bytes[size++] = byte
    },
    all: (): Buffer => bytes.subarray(0, size),
  }
}
type Bytes = ReturnType<typeof createBytes>

/** Divides JSON into the elements of its array, with their own bytes, so that numbers keep all their digits. */
const createDivider = (kind: 'elements' | 'document') => {
  const scanner = createScanner()
  const envelope = kind === 'document' ? createBytes(maxEnvelopeBytes) : undefined
  let path: string[] = []
  let text: Bytes | undefined
  /** The depth of the elements, while in their array. */
  let elementDepth: number | undefined
  let hasElements = false
  let isAtLineStart = true
  /** Whether the first byte of an array is next, which decides whether it has objects. */
  let isAtFirst = false
  /** Whether what comes is neither the document nor an array, so that it is left as it is. */
  let isPastEnd = false
  let isFirstValue = true

  const write = (byte: number, output: Bytes): void => {
    output.add(byte)
    isAtLineStart = byte === lineFeed
  }
  const endLine = (output: Bytes): void => {
    if (!isAtLineStart) write(lineFeed, output)
  }
  /** Keeps the keys that lead to a position outside the elements. */
  const noteKey = (byte: number): void => {
    const { depth, isInString } = scanner
    if (depth > maxKnownDepth) return
    if (byte === quote && !isInString) text = createBytes(maxKeyBytes)
    else if (isInString && byte !== quote) text?.add(byte)
    else if (byte === colon) path = [...path.slice(0, depth - 1), text?.all().toString() ?? '']
  }
  const opensElements = (byte: number): boolean => {
    if (byte !== openArray || elementDepth !== undefined || scanner.isInString) return false
    if (kind === 'elements') return scanner.depth === 0
    return !hasElements && path.length === scanner.depth && knownArrays.has(path.join('.'))
  }
  /** A byte that is no white space between tokens. */
  const take = (byte: number, output: Bytes): void => {
    if (isAtFirst) {
      isAtFirst = false
      if (byte === openObject) hasElements = true
      else if (kind === 'document') elementDepth = undefined
    }
    const isElement = elementDepth !== undefined && scanner.depth >= elementDepth
    const isSeparator = scanner.depth === elementDepth && !scanner.isInString && (byte === comma || byte === closeArray)
    if (isElement && !isSeparator) write(byte, output)
    else if (isElement) endLine(output)
    if (!isElement) noteKey(byte)
    if (!isElement || (isSeparator && byte === closeArray)) envelope?.add(byte)
    const opens = opensElements(byte)
    scanner.pass(byte)
    if (opens) {
      elementDepth = scanner.depth
      isAtFirst = true
    } else if (elementDepth !== undefined && scanner.depth < elementDepth) elementDepth = undefined
  }
  const beginsValue = (byte: number): boolean =>
    kind === 'elements' ? byte === openArray : isFirstValue && byte === openObject
  return {
    get hasElements() {
      return hasElements
    },
    push: (chunk: Uint8Array): Buffer => {
      // Each element has one line feed, in the place of a comma or bracket, and one may be before what follows the end.
      const output = createBytes(chunk.length + 1)
      for (const byte of chunk) {
        // A string with a line end is none: the text is no JSON.
        isPastEnd ||= scanner.isInString && byte === lineFeed
        if (isPastEnd) write(byte, output)
        else if (!scanner.isInString && isSpace(byte)) continue
        else if (scanner.depth === 0 && !beginsValue(byte)) {
          if (byteOrderMark.includes(byte) && isFirstValue) continue
          isPastEnd = true
          write(byte, output)
        } else {
          isFirstValue = false
          take(byte, output)
        }
      }
      return output.all()
    },
    /** What is left: the end of the last line, and what is around the array unless it is only its key. */
    end: (): Buffer => {
      const around = envelope?.all().toString() ?? ''
      const last = /^\{"[^"]*":\[\]\}$/.test(around) ? '' : around
      return Buffer.from(`${isAtLineStart ? '' : '\n'}${last === '' ? '' : `${last}\n`}`)
    },
  }
}
async function* joined(held: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* held
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function* divided(divider: ReturnType<typeof createDivider>, content: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield divider.push(chunk)
  yield divider.end()
}

/**
 * Writes each element of a JSON array on a line of its own, as logs in JSON have them: of an array of objects, or of a document that is the
 * export of a service (`knownArrays`), whose other members are the last line. Other content is unchanged.
 */
export async function* withElementsOnLines(content: Chunks): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  const probe = createProbe()
  let kind: ReturnType<typeof probe.push>
  try {
    while (kind === undefined) {
      const next = await iterator.next()
      if (next.done) break
      held.push(next.value)
      kind = probe.push(next.value)
    }
    kind ??= probe.end()
    if (kind === 'lines') return yield* joined(held, iterator)
    const trial = createDivider(kind)
    const start = held.map(trial.push)
    if (!trial.hasElements) return yield* joined(held, iterator)
    yield* start
    yield* divided(trial, joined([], iterator))
  } finally {
    await iterator.return?.()
  }
}
