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

const isName = (name: string): boolean => /^[!-~][ -~]{3}$/.test(name)
/** Chunks without which a file has no sound. */
const essential = new Set(['fmt ', 'data', 'COMM', 'SSND'])

/**
 * The position after a chunk. Bodies of odd length are padded by a byte, but some programs omit it, so that the next chunk follows
 * at once: its name is then one byte earlier.
 */
const after = async (source: ByteSource, { offset, length }: Chunk): Promise<number> => {
  const end = offset + length
  if (length % 2 === 0) return end
  const bytes = await source.read(end, 5)
  const [atOnce, padded] = [fourCharacters(bytes, 0), fourCharacters(bytes, 1)]
  return essential.has(atOnce) || (isName(atOnce) && !isName(padded)) ? end : end + 1
}

/**
 * Lists the chunks of an IFF file (RIFF, RF64, FORM) from `offset` to its end. `stopAt`
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
    at = await after(source, chunk)
  }
  return chunks
}
