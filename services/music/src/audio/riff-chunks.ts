import { type ByteSource, fourCharacters, viewOf } from './byte-source.ts'
import { invalidAudio } from './refusal.ts'

/** One chunk of an IFF file: the position of its body and its declared length. */
export type Chunk = {
  readonly name: string
  readonly offset: number
  readonly length: number
}

/** Maximum number of chunks: a file with more is an attempt to exhaust the reader. */
const maxChunks = 1000

/**
 * Lists the chunks of an IFF file (RIFF, RF64, FORM) from `offset` to its end. Bodies are padded to an even length. `stopAt`
 * ends the list at a chunk whose declared length cannot be trusted.
 */
export const readChunks = async (
  source: ByteSource,
  { offset, littleEndian, stopAt }: { offset: number; littleEndian: boolean; stopAt?: (chunk: Chunk) => boolean },
): Promise<Chunk[]> => {
  const chunks: Chunk[] = []
  for (let at = offset; at + 8 <= source.size; ) {
    if (chunks.length >= maxChunks) throw invalidAudio(`The file has more than ${maxChunks} chunks.`)
    const head = await source.read(at, 8)
    const chunk = { name: fourCharacters(head, 0), offset: at + 8, length: viewOf(head).getUint32(4, littleEndian) }
    chunks.push(chunk)
    if (stopAt?.(chunk)) break
    at = chunk.offset + chunk.length + (chunk.length % 2)
  }
  return chunks
}
