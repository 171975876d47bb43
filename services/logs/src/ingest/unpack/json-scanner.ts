const code = (character: string): number => character.charCodeAt(0)
export const quote = code('"')
const backslash = code('\\')
export const comma = code(',')
export const colon = code(':')
export const openObject = code('{')
export const closeObject = code('}')
export const openArray = code('[')
export const closeArray = code(']')
export const lineFeed = code('\n')

const isSpace = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13)
/** By byte, whether a number or literal ends before it. */
const endsScalar = Array.from(
  { length: 256 },
  (_, byte) => isSpace(byte) || '"{}[],:'.includes(String.fromCharCode(byte)),
)

/** What `scan` reports of JSON; both return false to end the scan. */
export type Visitor = {
  /** Bytes of a string or of another scalar, or a part of one where a chunk ends; `first` is the first of them. */
  text: (from: number, to: number, first: number) => boolean
  /** One of `{}[],:`. */
  structure: (byte: number, at: number) => boolean
}

/** Divides chunks of JSON into scalars and structure, without the white space between them. `scan` returns where it ended. */
export const createScanner = () => {
  let isInString = false
  let isEscaped = false

  /** The end of the string that goes on at `from`: after its quote, at a line end, which no string has, or where the chunk ends. */
  const endOfString = (chunk: Uint8Array, from: number): number => {
    let at = from
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) {
        isInString = false
        return at + 1
      } else if (byte === lineFeed) return at
    }
    return at
  }
  const endOfScalar = (chunk: Uint8Array, from: number): number => {
    let at = from
    while (at < chunk.length && !endsScalar[chunk[at] ?? 0]) at++
    return at
  }
  return {
    scan: (chunk: Uint8Array, { text, structure }: Visitor): number => {
      let at = 0
      while (at < chunk.length) {
        const byte = chunk[at] ?? 0
        let end = at + 1
        if (isInString) end = endOfString(chunk, at)
        else if (isSpace(byte)) {
          at++
          continue
        } else if (byte === quote) {
          isInString = true
          end = endOfString(chunk, end)
        } else if (endsScalar[byte]) {
          if (!structure(byte, at)) return at
          at++
          continue
        } else end = endOfScalar(chunk, end)
        if (end > at && !text(at, end, byte)) return at
        if (isInString && end < chunk.length) return end
        at = end
      }
      return at
    },
  }
}

export const opens = (byte: number): boolean => byte === openObject || byte === openArray
export const closes = (byte: number): boolean => byte === closeObject || byte === closeArray
