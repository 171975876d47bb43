/** Reads the output of a ByteWriter. Reading past the end returns zeroes; segment data has been checksummed before. */
export type ByteReader = {
  position: number
  readonly end: number
  byte: () => number
  varint: () => number
  /** A view, not a copy. */
  bytes: (length: number) => Uint8Array
}

export const createByteReader = (source: Uint8Array, start = 0, end = source.length): ByteReader => {
  const reader: ByteReader = {
    position: start,
    end,
    byte: () => source[reader.position++] ?? 0,
    varint: () => {
      const first = source[reader.position++] ?? 0
      if (first < 0x80) return first
      let value = first - 0x80
      let scale = 0x80
      for (;;) {
        const byte = source[reader.position++] ?? 0
        if (byte < 0x80) return value + byte * scale
        value += (byte - 0x80) * scale
        scale *= 0x80
      }
    },
    bytes: (length) => {
      const view = source.subarray(reader.position, reader.position + length)
      reader.position += length
      return view
    },
  }
  return reader
}
