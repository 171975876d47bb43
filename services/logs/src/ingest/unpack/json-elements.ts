import { maxTextBytes } from '../../formats/clean.ts'
import {
  closeArray,
  closes,
  colon,
  comma,
  createScanner,
  lineFeed,
  openArray,
  openObject,
  opens,
  quote,
  type Visitor,
} from './json-scanner.ts'
import type { Chunks } from './peeked.ts'

/**
 * Where exports have their entries: CloudTrail and Azure, CloudWatch, its subscriptions, Elasticsearch, Kubernetes lists, and APIs in general. A
 * document with an array elsewhere is one entry.
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
/** Keys of an entry of a log: a document with one of them is no export, but an entry that has a list of something. */
const entryKeys: ReadonlySet<string> = new Set(['level', 'severity', '@timestamp', 'timestamp', 'time', 'ts'])
/** The depth of the last key in `knownArrays`. */
const maxKnownDepth = 2

/**
 * Documents up to this size are read completely before they are divided: one that is followed by another is a line of a log. A line is cut at much
 * less.
 */
const maxHeldBytes = 8 * 1024 * 1024
/** Longer keys are none of `knownArrays`. */
const maxKeyBytes = 64
/** What is around the array is kept up to this size; a line of it is then marked as cut. */
const maxEnvelopeBytes = maxTextBytes + 4

/**
 * What a text is by its first bytes: `elements` is an array of objects, `document` one object and nothing after it, and `lines` everything else.
 * `push` returns undefined while that is not known.
 */
const createProbe = () => {
  const scanner = createScanner()
  let kind: 'elements' | 'document' | 'lines' | undefined
  let state: 'start' | 'array' | 'element' | 'object' | 'after' = 'start'
  let depth = 0
  let size = 0
  const decide = (decided: 'elements' | 'lines'): boolean => {
    kind = decided
    return false
  }
  const visitor: Visitor = {
    // Of an array, a key decides: lines of a log may begin with `[{main}]`.
    text: (_from, _to, first) =>
      state === 'object' || decide(state === 'element' && first === quote ? 'elements' : 'lines'),
    structure: (byte) => {
      if (state === 'object') {
        if (opens(byte)) depth++
        else if (closes(byte)) depth--
        if (depth === 0) state = 'after'
        return true
      }
      if (state === 'start' && byte === openArray) state = 'array'
      else if (state === 'array' && byte === openObject) state = 'element'
      else if (state === 'start' && byte === openObject) {
        state = 'object'
        depth = 1
      } else return decide('lines')
      return true
    },
  }
  return {
    push: (chunk: Uint8Array): typeof kind => {
      size += chunk.length
      const end = scanner.scan(chunk, visitor)
      if (kind === undefined && end < chunk.length) kind = 'lines'
      if (kind === undefined && size >= maxHeldBytes) kind = state === 'object' ? 'document' : 'lines'
      return kind
    },
    end: (): 'document' | 'lines' => (state === 'object' || state === 'after' ? 'document' : 'lines'),
  }
}

/** Bytes up to a maximum number; what is added beyond it is left out. */
const createBytes = (maxBytes: number) => {
  const bytes = Buffer.allocUnsafe(maxBytes)
  let size = 0
  return {
    add: (byte: number): void => {
      if (size < maxBytes) bytes[size++] = byte
    },
    addAll: (chunk: Uint8Array, from: number, to: number): void => {
      const added = chunk.subarray(from, Math.min(to, from + maxBytes - size))
      bytes.set(added, size)
      size += added.length
    },
    clear: (): void => {
      size = 0
    },
    all: (): Buffer => bytes.subarray(0, size),
  }
}

/** Divides JSON into the elements of its array, with their own bytes, so that numbers keep all their digits. */
const createDivider = (kind: 'elements' | 'document') => {
  const scanner = createScanner()
  const envelope = createBytes(kind === 'document' ? maxEnvelopeBytes : 0)
  const key = createBytes(maxKeyBytes)
  let path: string[] = []
  let depth = 0
  /** The depth of the elements, while in their array. */
  let elementDepth = Number.POSITIVE_INFINITY
  let hasElements = false
  let isEntry = false
  let isAtLineStart = true
  /** Whether the first element is next, which decides whether the array has objects. */
  let isAtFirst = false
  let hasBegun = false
  /** Whether what comes is not in the document or an array, so that it is left as it is. */
  let isPastEnd = false

  const opensElements = (byte: number): boolean => {
    if (byte !== openArray) return false
    if (kind === 'elements') return depth === 0
    return !hasElements && path.length === depth && knownArrays.has(path.join('.'))
  }
  const beginsValue = (byte: number): boolean =>
    kind === 'elements' ? byte === openArray : !hasBegun && byte === openObject
  /** Keeps the keys that lead to a position around the elements. */
  const noteStructure = (byte: number): void => {
    if (byte === colon && depth <= maxKnownDepth) {
      const name = key.all().toString().slice(1, -1)
      path = [...path.slice(0, depth - 1), name]
      if (depth === 1 && entryKeys.has(name)) isEntry = true
    }
    key.clear()
  }

  const push = (chunk: Uint8Array): Buffer => {
    // Each element has a line feed in the place of a comma or bracket, and one may be before what follows the end.
    const output = createBytes(chunk.length + 1)
    const endLine = (): void => {
      if (!isAtLineStart) output.add(lineFeed)
      isAtLineStart = true
    }
    const write = (byte: number): void => {
      output.add(byte)
      isAtLineStart = false
    }
    const closeElements = (byte: number): void => {
      endLine()
      elementDepth = Number.POSITIVE_INFINITY
      envelope.add(byte)
    }
    const visitor: Visitor = {
      text: (from, to) => {
        if (depth === 0) return false
        isAtFirst = false
        if (depth < elementDepth) {
          envelope.addAll(chunk, from, to)
          if (depth <= maxKnownDepth) key.addAll(chunk, from, to)
        } else {
          output.addAll(chunk, from, to)
          isAtLineStart = false
        }
        return true
      },
      structure: (byte) => {
        if (depth === 0 && !beginsValue(byte)) return false
        hasBegun = true
        if (isAtFirst && kind === 'document' && byte !== openObject) elementDepth = Number.POSITIVE_INFINITY
        if (isAtFirst && byte === openObject) hasElements = true
        isAtFirst = false
        if (depth === elementDepth && byte === comma) endLine()
        else if (depth === elementDepth && byte === closeArray) closeElements(byte)
        else if (depth >= elementDepth) write(byte)
        else {
          noteStructure(byte)
          envelope.add(byte)
        }
        const isElements = elementDepth > depth && opensElements(byte)
        if (opens(byte)) depth++
        else if (closes(byte)) depth--
        if (isElements) {
          elementDepth = depth
          isAtFirst = true
        }
        return true
      },
    }
    const end = isPastEnd ? 0 : scanner.scan(chunk, visitor)
    if (end === chunk.length) return output.all()
    isPastEnd = true
    output.addAll(chunk, end, chunk.length)
    isAtLineStart = chunk.at(-1) === lineFeed
    return output.all()
  }
  return {
    /** Whether it has entries of its own, and is none itself, as far as it is known. */
    get isDivided() {
      return hasElements && !isEntry
    },
    push,
    /** What is left: the end of the last line, and what is around the array unless it is only its key. */
    end: (): Buffer => {
      const around = envelope.all().toString()
      const last = /^(?:\{"[^"]*":\[\]\})?$/.test(around) ? '' : `${around}\n`
      return Buffer.from(`${isAtLineStart ? '' : '\n'}${last}`)
    },
  }
}

const byteOrderMark = Buffer.from('\ufeff')

const withoutMark = (chunk: Uint8Array): Uint8Array => {
  const { length } = byteOrderMark
  return byteOrderMark.equals(chunk.subarray(0, length)) ? chunk.subarray(length) : chunk
}

async function* joined(held: readonly Uint8Array[], rest: Chunks): AsyncGenerator<Uint8Array> {
  yield* held
  yield* rest
}

async function* divided(divider: ReturnType<typeof createDivider>, content: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield divider.push(chunk)
  yield divider.end()
}

/**
 * Writes each element of a JSON array on a line of its own, as logs in JSON have them: of an array of objects, or of a document that is the
 * export of a service (`knownArrays`), whose other members are the last line. Other content is unchanged. A byte order mark is in the first chunk.
 * If the source fails, what was received comes before the error.
 */
export async function* withElementsOnLines(content: Chunks): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  const probe = createProbe()
  let kind: ReturnType<typeof probe.push>
  let failed: { error: unknown } | undefined
  async function* rest(): AsyncGenerator<Uint8Array> {
    if (failed) throw failed.error
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  try {
    try {
      while (kind === undefined) {
        const next = await iterator.next()
        if (next.done) break
        held.push(next.value)
        kind = probe.push(held.length === 1 ? withoutMark(next.value) : next.value)
      }
    } catch (error) {
      failed = { error }
    }
    kind ??= probe.end()
    if (kind === 'lines') return yield* joined(held, rest())
    const trial = createDivider(kind)
    const start = held.map((chunk, index) => trial.push(index === 0 ? withoutMark(chunk) : chunk))
    if (!trial.isDivided) return yield* joined(held, rest())
    yield* start
    yield* divided(trial, rest())
  } finally {
    await iterator.return?.()
  }
}
