import type { ByteSource } from './byte-source.ts'
import { type Block, blockLength } from './pcm.ts'

/** First and largest number of bytes fed to a codec. */
const firstFeed = 1024
const largestFeed = 65_536
/** Maximum samples (of all channels) that one feed should produce: 4 MiB of floats. */
const samplesPerFeed = 1_048_576

/** Decoded output of one feed. */
export type DecodedBytes = {
  readonly block: Block
  readonly sampleRate: number
}

/**
 * Feeds a codec from `offset` to the end of the source. The feed grows while little is decoded and shrinks when much is: a few
 * bytes of a compressed format can encode hours of silence, and the reader of the blocks must be able to stop before they
 * fill the memory.
 */
export async function* feedCodec(
  source: ByteSource,
  offset: number,
  decode: (bytes: Uint8Array) => Promise<DecodedBytes> | DecodedBytes,
): AsyncGenerator<DecodedBytes> {
  let feed = firstFeed
  for (let at = offset; at < source.size; ) {
    const bytes = await source.read(at, feed)
    if (bytes.length === 0) return
    at += bytes.length
    const decoded = await decode(bytes)
    const samples = blockLength(decoded.block) * decoded.block.length
    const fitting = samples === 0 ? feed * 2 : Math.floor((bytes.length / samples) * samplesPerFeed)
    feed = Math.max(64, Math.min(feed * 2, fitting, largestFeed))
    if (samples > 0) yield decoded
  }
}

/** Reads the first block of a codec, which determines the shape of the stream, and returns it with an iterator over all blocks. */
export const withFirstBlock = async (
  decoded: AsyncGenerator<DecodedBytes>,
): Promise<{ first: DecodedBytes | undefined; all: AsyncGenerator<DecodedBytes> }> => {
  const first = await decoded.next()
  async function* all(): AsyncGenerator<DecodedBytes> {
    if (first.done) return
    yield first.value
    yield* decoded
  }
  return { first: first.done ? undefined : first.value, all: all() }
}
