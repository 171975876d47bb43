import type { Reader } from './config.ts'

const yes = new Set(['1', 'true', 'yes', 'on'])
const no = new Set(['0', 'false', 'no', 'off'])

export const text: Reader<string> = (value) => value

/** Text that may be absent: `setting('LLM_BASE_URL', read.optional(read.url), undefined, ...)`. */
export const optional =
  <Value>(reader: Reader<Value>): Reader<Value | undefined> =>
  (value) =>
    reader(value)

export const flag: Reader<boolean> = (value) => {
  const word = value.trim().toLowerCase()
  if (yes.has(word)) return true
  if (no.has(word)) return false
  throw new Error('must be 1 or 0 (or true, false, yes, no, on, off)')
}

export const integer =
  (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value) => {
    const number = Number(value)
    if (/^\s*-?\d+\s*$/.test(value) && number >= minimum && number <= maximum) return number
    const limit = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
    throw new Error(`must be a whole number ${limit}`)
  }

export const number =
  (minimum: number, maximum: number): Reader<number> =>
  (value) => {
    const parsed = Number(value)
    if (value.trim() !== '' && parsed >= minimum && parsed <= maximum) return parsed
    throw new Error(`must be a number from ${minimum} to ${maximum}`)
  }

/** A TCP port; 0 lets the system choose, or disables a listener where its description states that. */
export const port: Reader<number> = integer(0, 65_535)

export const url: Reader<string> = (value) => {
  const parsed = URL.parse(value)
  if (parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) return value.replace(/\/+$/, '')
  throw new Error('must be an address that starts with http:// or https://')
}

export const oneOf =
  <const Word extends string>(...words: Word[]): Reader<Word> =>
  (value) => {
    const found = words.find((word) => word === value)
    if (found !== undefined) return found
    throw new Error(`must be one of ${words.join(', ')}`)
  }

/** A comma-separated list of web origins (`https://trellis.example`), as browsers send them. */
export const origins: Reader<readonly string[]> = (value) =>
  list(value).map((origin) => {
    const parsed = URL.parse(origin)
    const isOrigin = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname === '/' && parsed.search === ''
    if (isOrigin && parsed.username === '' && parsed.hash === '') return parsed.origin
    throw new Error('must list origins such as https://trellis.example, without wildcards')
  })

/** A comma-separated list; items are trimmed, and empty ones dropped. */
export const list: Reader<readonly string[]> = (value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
