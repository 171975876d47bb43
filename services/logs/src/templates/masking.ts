import { hexRunEnd } from './hex-run.ts'

/**
 * The form of a message: the message with everything masked that changes from line to line. Two lines with the same form always have the same
 * template. A pure function of the bytes, so every thread, replica and branch computes the same form for the same line.
 *
 * - A word is a run of bytes between white space and `=,;:()[]{}"'|<>`. One with a digit is variable: numbers, addresses, ids, versions, times.
 * - Groups of hexadecimal digits between colons are one variable word, however few digits they have: hardware and IPv6 addresses.
 * - Names of months and days belong to the number that follows: `Fri Jun 17` is one variable.
 * - Variables with nothing between them but spaces and one of `,:;` are one: lists of any length have the same form.
 * - Separate parentheses with nothing inside contain a value that is missing.
 * - White space is one space, and only the first line counts.
 */
export const wildcard = '<*>'

/** The bytes of a message that determine its form; the rest is ignored. */
export const maxMessageBytes = 1_024

const separator = 1
const space = 2
const digit = 3
const word = 0

const kindOf: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte <= 32 || byte === 127) return space
  if (byte >= 48 && byte <= 57) return digit
  return '=,;:()[]{}"\'|<>'.includes(String.fromCharCode(byte)) ? separator : word
})
const mayBeginHexRun: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-fA-F:]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const joins: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  ',:;'.includes(String.fromCharCode(byte)) ? 1 : 0,
)
const lineFeed = 10
const openParenthesis = 40
const closeParenthesis = 41

const packed = (text: string) => (text.charCodeAt(0) << 16) | (text.charCodeAt(1) << 8) | text.charCodeAt(2)
const calendarWords: ReadonlySet<number> = new Set(
  'jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun'.split(' ').map(packed),
)
const lowerCase = 0x202020

export type Masker = {
  /** Masks a message. Returns the length of its form, which is at the start of `form` until the next call. */
  mask: (bytes: Uint8Array, start: number, end: number) => number
  readonly form: Uint8Array
}

export const createMasker = (): Masker => {
  // A wildcard is at most two bytes longer than the text it replaces, and there is a byte between any two of them.
  const form = new Uint8Array(maxMessageBytes * 3)
  let size = 0
  const putWildcard = () => {
    form[size++] = 60
    form[size++] = 42
    form[size++] = 62
  }
  const mask = (bytes: Uint8Array, start: number, end: number): number => {
    const last = Math.min(end, start + maxMessageBytes)
    size = 0
    let spaced = false
    /** The end of the last wildcard if a following variable can still join it, otherwise -1. */
    let joinable = -1
    let hasJoint = false
    /** The start of the month and day names at the end of the form, or -1. */
    let calendar = -1
    let openedAlone = false
    const putSpace = () => {
      if (spaced && size > 0) form[size++] = 32
      spaced = false
    }
    for (let position = start; position < last; ) {
      const byte = bytes[position] ?? 0
      const kind = kindOf[byte] ?? word
      if (kind === space) {
        if (byte === lineFeed && size > 0) break
        spaced = true
        position++
        continue
      }
      const begin = position
      const afterRun = mayBeginHexRun[byte] === 1 ? hexRunEnd(bytes, position, last) : 0
      if (afterRun === 0 && kind === separator) {
        if (byte === closeParenthesis && openedAlone && form[size - 1] === openParenthesis && !spaced) putWildcard()
        if (byte === openParenthesis) openedAlone = spaced || size === 0
        if (joinable >= 0) {
          if (joins[byte] === 1 && !hasJoint) hasJoint = true
          else joinable = -1
        }
        putSpace()
        form[size++] = byte
        calendar = -1
        position++
        continue
      }
      let isVariable = afterRun > 0
      if (isVariable) position = afterRun
      else {
        for (; position < last; position++) {
          const next = kindOf[bytes[position] ?? 0] ?? word
          if (next === digit) isVariable = true
          else if (next !== word) break
        }
      }
      if (isVariable) {
        if (joinable >= 0) size = joinable
        else if (calendar >= 0) {
          size = calendar
          putWildcard()
        } else {
          putSpace()
          putWildcard()
        }
        spaced = false
        joinable = size
        hasJoint = false
        calendar = -1
        continue
      }
      putSpace()
      const isCalendar =
        position - begin === 3 &&
        calendarWords.has(
          ((bytes[begin] ?? 0) << 16) | ((bytes[begin + 1] ?? 0) << 8) | (bytes[begin + 2] ?? 0) | lowerCase,
        )
      if (!isCalendar) calendar = -1
      else if (calendar < 0) calendar = size
      for (let index = begin; index < position; index++) form[size++] = bytes[index] ?? 0
      joinable = -1
    }
    return size
  }
  return { mask, form }
}
