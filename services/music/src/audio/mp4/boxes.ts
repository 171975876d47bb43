import { type ByteSource, fourCharacters, viewOf } from '../byte-source.ts'
import { invalidAudio } from '../refusal.ts'

/** A box of an MP4 file (ISO/IEC 14496-12, 4.2): its type, and where its body lies. */
export type Box = {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Maximum number of boxes in one box: a file with more is an attempt to exhaust the reader. */
const maxBoxes = 1_000

/** Lists the boxes between two positions. A box that claims more than there is ends where its parent does. */
export const readBoxes = async (source: ByteSource, start: number, end: number, max = maxBoxes): Promise<Box[]> => {
  const boxes: Box[] = []
  const limit = Math.min(end, source.size)
  for (let at = start; at + 8 <= limit; ) {
    if (boxes.length >= max) throw invalidAudio(`The file has a box with more than ${max} boxes.`)
    const head = await source.read(at, 16)
    if (head.length < 8) break
    const view = viewOf(head)
    const short = view.getUint32(0)
    const isLong = short === 1 && head.length === 16
    const size = isLong ? Number(view.getBigUint64(8)) : short === 0 ? limit - at : short
    const headerBytes = isLong ? 16 : 8
    if (size < headerBytes) break
    boxes.push({ type: fourCharacters(head, 4), start: at + headerBytes, end: Math.min(limit, at + size) })
    at += size
  }
  return boxes
}

/** The first box on a path of types below a box; undefined if there is none. */
export const findBox = async (source: ByteSource, parent: Box, ...path: string[]): Promise<Box | undefined> => {
  let found: Box | undefined = parent
  for (const type of path) {
    if (!found) return undefined
    found = (await readBoxes(source, found.start, found.end)).find((box) => box.type === type)
  }
  return found
}

/** The body of a box, of at most `maxBytes`. */
export const readBody = async (
  source: ByteSource,
  { type, start, end }: Box,
  maxBytes: number,
): Promise<Uint8Array> => {
  if (end - start > maxBytes) throw invalidAudio(`The box ${JSON.stringify(type)} of the file is too large.`)
  const body = await source.read(start, end - start)
  if (body.length < end - start) throw invalidAudio('The file ends within its index.')
  return body
}
