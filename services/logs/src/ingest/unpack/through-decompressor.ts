import type { Transform } from 'node:stream'
import type { Chunks } from './peeked.ts'

/** A stream of zlib, which counts its consumed input bytes. */
export type Decompressing = Transform & { bytesWritten: number }

/**
 * The output of a decompressor while chunks are written to it. Output precedes an error, although a destroyed stream would discard it.
 * Ends where the compressed data does; `onRest` receives the bytes of the chunk that follow.
 */
export async function* throughDecompressor(
  stream: Decompressing,
  packed: Chunks,
  onRest: (rest: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let changed = () => {}
  let failed: unknown
  let hasEnded = false
  stream.on('readable', () => changed())
  stream.on('end', () => {
    hasEnded = true
    changed()
  })
  stream.on('error', (error) => {
    failed = error
    changed()
  })
  async function* readUntil(isDone: () => boolean): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk: Buffer | null = stream.read()
      if (chunk !== null) {
        yield chunk
        continue
      }
      if (failed !== undefined) throw failed
      if (isDone()) return
      await new Promise<void>((resolve) => {
        changed = resolve
      })
    }
  }
  try {
    for await (const chunk of packed) {
      const before = stream.bytesWritten
      let isTaken = false
      stream.write(chunk, () => {
        isTaken = true
        changed()
      })
      // Input after the end of the data is never consumed.
      yield* readUntil(() => isTaken || hasEnded)
      const rest = chunk.subarray(stream.bytesWritten - before)
      if (!hasEnded && rest.length === 0) continue
      onRest(rest)
      return
    }
    stream.end()
    yield* readUntil(() => hasEnded)
  } finally {
    stream.destroy()
  }
}
