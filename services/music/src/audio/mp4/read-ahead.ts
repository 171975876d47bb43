import type { ByteSource } from '../byte-source.ts'

const windowBytes = 262_144

/** Reads small ranges that mostly follow each other with few requests. */
export const readAhead = (source: ByteSource): ((offset: number, length: number) => Promise<Uint8Array>) => {
  let [start, held] = [0, new Uint8Array(0)]
  return async (offset, length) => {
    if (offset < start || offset + length > start + held.length) {
      held = Uint8Array.from(await source.read(offset, Math.max(length, windowBytes)))
      start = offset
    }
    return held.subarray(offset - start, offset - start + length)
  }
}
