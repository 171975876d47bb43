import { type ByteSource, fourCharacters, viewOf } from './byte-source.ts'
import { invalidAudio } from './refusal.ts'

/** One chunk of an IFF file: where its body lies and how long it says that it is. */
export interface Chunk {
  readonly name: string
  readonly offset: number
  readonly length: number
}

/** A file of this many chunks is not audio but an attempt to keep the reader busy. */
const MAX_CHUNKS = 1000

/**
 * Walks the chunks of an IFF file (RIFF, RF64, FORM) from `offset` to its end. Bodies are padded to an even length.
 * `stopAt` ends the walk at a chunk whose own length cannot be trusted to lead to a next one.
 */
export const readChunks = async (
  source: ByteSource,
  { offset, littleEndian, stopAt }: { offset: number; littleEndian: boolean; stopAt?: (chunk: Chunk) => boolean },
): Promise<Chunk[]> => {
  const chunks: Chunk[] = []
  for (let at = offset; at + 8 <= source.size; ) {
    if (chunks.length >= MAX_CHUNKS) throw invalidAudio(`The file has more than ${MAX_CHUNKS} chunks.`)
    const head = await source.read(at, 8)
    const chunk = { name: fourCharacters(head, 0), offset: at + 8, length: viewOf(head).getUint32(4, littleEndian) }
    chunks.push(chunk)
    if (stopAt?.(chunk)) break
    at = chunk.offset + chunk.length + (chunk.length % 2)
  }
  return chunks
}
