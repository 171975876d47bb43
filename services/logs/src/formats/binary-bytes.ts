/** Bytes below a space that no text has: all but bell to carriage return, and escape. */
const isControl = (byte: number) => byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    // What a cut may have left of a last character is no mistake.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** A tenth of what is compressed or encrypted are controls; of texts in any code page, hardly a byte. */
const maxInText = 1 / 25
const maxInUtf8 = 1 / 10

/** A file that was cut while it was written to begins with a hole, which says nothing. */
const pastHole = (start: Uint8Array): Uint8Array => {
  const first = start.findIndex((byte) => byte !== 0)
  return first < 0 ? new Uint8Array() : start.subarray(first)
}

const hasControls = (bytes: Uint8Array, maxShare: number): boolean =>
  bytes.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0) > bytes.length * maxShare

/**
 * Whether the first bytes of a file are no text for sure: neither UTF-8 nor, with so many controls, of an older code page. One of these
 * signs alone is none: FIX logs are full of controls, and Latin-1 is no UTF-8.
 */
export const isNoText = (start: Uint8Array): boolean => {
  const bytes = pastHole(start)
  return hasControls(bytes, maxInText) && !isUtf8(bytes)
}

/** Whether they are none in all likelihood, such as those of a database that holds texts: what nobody asked for by name is left out then. */
export const looksBinary = (start: Uint8Array): boolean => hasControls(pastHole(start), maxInUtf8) || isNoText(start)
