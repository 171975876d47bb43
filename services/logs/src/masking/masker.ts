import { userKeys } from '../anonymize/user-keys.ts'
import { maskText } from './mask-text.ts'
import { createPlaceholders, isPlaceholder, type MaskedKind } from './placeholders.ts'

/** Masks related data, so that equal addresses, users and hosts have equal placeholders. */
export type Masker = {
  text: (text: string) => string
  /** Masks all texts in JSON; the value of a key for a user, a host or a secret is masked as a whole. */
  value: (value: unknown) => unknown
  /** Masks addresses, and parts of `<prefix>:<host>:<unit>` that were masked before as hosts or users. */
  sourceId: (sourceId: string) => string
  /** Reads the program names from fields before masking starts: they remain, except where they name a user. */
  addWriterOf: (fields: unknown) => void
}

/** Keys whose value is masked as a whole, whatever its form. */
const wholeKeys: readonly { kind: MaskedKind; pattern: RegExp }[] = [
  { kind: 'password', pattern: /pass(?:word|wd|phrase|code)$|^(?:pass|pwd)$/i },
  { kind: 'token', pattern: /(?:token|secret|api[_-]?key|authorization|cookie|private[_-]?key|secret[_-]?key)$/i },
  { kind: 'host', pattern: /^(?:r|remote_?|src_?|dst_?|dest_?|peer_?)?host(?:[_.]?name)?$/i },
]
const userKey = new Set<string>(userKeys)
/** Keys whose value is the name of a program, in formats and senders' fields. */
const writerKeys = new Set('program process service application app appname syslog_identifier'.split(' '))

const maxDepth = 32

const kindOfKey = (key: string): MaskedKind | undefined =>
  userKey.has(key.toLowerCase()) ? 'user' : wholeKeys.find(({ pattern }) => pattern.test(key))?.kind

export const createMasker = (): Masker => {
  const placeholders = createPlaceholders()
  const text = (written: string) => maskText(written, { placeholders })
  /** Masked as text first: an address gets the placeholder of an address in any context. */
  const whole = (kind: MaskedKind, value: string): string => {
    if (value === '' || value === '-') return value
    const masked = text(value)
    if (isPlaceholder(masked)) return masked
    return placeholders.of(kind, kind === 'host' ? value.toLowerCase() : value)
  }
  const mask = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value)
    // Below the depth limit nothing is masked, so nothing may pass.
    if (depth > maxDepth) return null
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((one) => mask(one, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const kind = kindOfKey(key)
        return [text(key), kind !== undefined && typeof one === 'string' ? whole(kind, one) : mask(one, depth + 1)]
      }),
    )
  }
  const partOfSource = (part: string): string => placeholders.named(part, true) ?? part
  return {
    text,
    value: (value) => mask(value, 0),
    sourceId: (sourceId) => text(sourceId).split(':').map(partOfSource).join(':'),
    addWriterOf: (fields) => {
      if (typeof fields !== 'object' || fields === null) return
      for (const [key, value] of Object.entries(fields))
        if (writerKeys.has(key.toLowerCase()) && typeof value === 'string') placeholders.excludeProgram(value)
    },
  }
}
