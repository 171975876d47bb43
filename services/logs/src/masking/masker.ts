import { userKeys } from '../anonymize/user-keys.ts'
import { maskText } from './mask-text.ts'
import { createPlaceholders, isPlaceholder, type MaskedKind } from './placeholders.ts'

/** Masks what belongs together, so that the same address, user or host has the same placeholder in all of it. */
export type Masker = {
  text: (text: string) => string
  /** Texts anywhere in JSON; what stands under a key that names a user, a host or a secret, as a whole. */
  value: (value: unknown) => unknown
  /** Addresses, and those parts of `<prefix>:<host>:<unit>` that are hosts or users masked before. */
  sourceId: (sourceId: string) => string
  /** Reads from fields which program wrote what is masked, before any of it is: its name stays where no user is named. */
  learnWriter: (fields: unknown) => void
}

/** Keys whose value is masked as a whole, whatever it looks like. */
const wholeKeys: readonly { kind: MaskedKind; pattern: RegExp }[] = [
  { kind: 'password', pattern: /pass(?:word|wd|phrase|code)$|^(?:pass|pwd)$/i },
  { kind: 'token', pattern: /(?:token|secret|api[_-]?key|authorization|cookie|private[_-]?key|secret[_-]?key)$/i },
  { kind: 'host', pattern: /^(?:r|remote_?|src_?|dst_?|dest_?|peer_?)?host(?:[_.]?name)?$/i },
]
const userKey = new Set<string>(userKeys)
/** Keys whose value is the name of a program, as formats and senders give it. */
const writerKeys = new Set('program process service application app appname syslog_identifier'.split(' '))

const deepest = 32

const kindOfKey = (key: string): MaskedKind | undefined =>
  userKey.has(key.toLowerCase()) ? 'user' : wholeKeys.find(({ pattern }) => pattern.test(key))?.kind

export const createMasker = (): Masker => {
  const placeholders = createPlaceholders()
  const text = (written: string) => maskText(written, { placeholders })
  /** Masked as text first: an address has the placeholder of an address, wherever it stands. */
  const whole = (kind: MaskedKind, value: string): string => {
    if (value === '' || value === '-') return value
    const masked = text(value)
    if (isPlaceholder(masked)) return masked
    return placeholders.of(kind, kind === 'host' ? value.toLowerCase() : value)
  }
  const mask = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value)
    // Deeper than anybody reads: rather nothing than something that was not looked at.
    if (depth > deepest) return null
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
    learnWriter: (fields) => {
      if (typeof fields !== 'object' || fields === null) return
      for (const [key, value] of Object.entries(fields))
        if (writerKeys.has(key.toLowerCase()) && typeof value === 'string') placeholders.spare(value)
    },
  }
}
