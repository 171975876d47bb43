import { untilAborted } from '../lifecycle/mod.ts'

/** Initial buffer size, so that small content does not allocate a whole piece. */
const firstBytes = 64 * 1024

const grown = (buffer: Buffer, filled: number, needed: number, max: number): Buffer => {
  if (needed <= buffer.byteLength) return buffer
  const larger = Buffer.allocUnsafeSlow(Math.min(max, Math.max(needed, buffer.byteLength * 2)))
  buffer.copy(larger, 0, 0, filled)
  return larger
}

/** Splits content into pieces of `bytes`; the last may be shorter. A single buffer is not copied; of a stream one piece is buffered. */
export async function* cut(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  bytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.byteLength; at += bytes) yield content.subarray(at, at + bytes)
    return
  }
  let buffer: Buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, bytes))
  let filled = 0
  for await (const chunk of signal ? untilAborted(content, signal) : content) {
    for (let at = 0; at < chunk.byteLength; ) {
      const taken = Math.min(chunk.byteLength - at, bytes - filled)
      buffer = grown(buffer, filled, filled + taken, bytes)
      buffer.set(chunk.subarray(at, at + taken), filled)
      filled += taken
      at += taken
      if (filled === bytes) {
        yield buffer
        buffer = Buffer.allocUnsafeSlow(bytes)
        filled = 0
      }
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
