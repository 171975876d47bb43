import { type ByteSource, viewOf } from '../byte-source.ts'
import { invalidAudio } from '../refusal.ts'
import { type Box, readBody, readBoxes } from './boxes.ts'

/** Where the packets of a track lie, and for how long they last in total. */
export type SampleTable = {
  /** Total duration in units of the track's time scale. */
  readonly duration: number
  /** Positions of the packets, in order. */
  packets(): Iterable<PacketPosition>
}

export type PacketPosition = { readonly offset: number; readonly length: number }

/** Maximum size of a table: four bytes for each of the packets of several days. */
const largestTable = 64 * 1024 * 1024
/** Version and flags, which precede the fields of each box here. */
const fullBox = 4

/** A table as numbers: `columns` of 32 bits a row (two of them for each 64-bit column). */
const rowsOf = (body: Uint8Array, { start, columns }: { start: number; columns: number }) => {
  const view = viewOf(body)
  const declared = body.length >= start ? view.getUint32(start - 4) : 0
  const count = Math.min(declared, Math.floor((body.length - start) / (4 * columns)))
  return {
    count: Math.max(0, count),
    at: (row: number, column: number) => view.getUint32(start + (row * columns + column) * 4),
  }
}

/** Sizes of packets: one for all, or 4 to 32 bits each (ISO/IEC 14496-12, 8.7.3). */
const sizesOf = (body: Uint8Array, isCompact: boolean): { count: number; at: (index: number) => number } => {
  if (body.length < 12) throw invalidAudio("The file's table of packet sizes is too short.")
  const view = viewOf(body)
  const [field, declared] = [view.getUint32(fullBox), view.getUint32(fullBox + 4)]
  if (!isCompact && field > 0) return { count: declared, at: () => field }
  const bits = isCompact ? field & 0xff : 32
  const count = Math.min(declared, Math.floor(((body.length - 12) * 8) / (bits || 32)))
  const readers: Record<number, (index: number) => number> = {
    4: (index) => (index % 2 === 0 ? view.getUint8(12 + (index >> 1)) >> 4 : view.getUint8(12 + (index >> 1)) & 15),
    8: (index) => view.getUint8(12 + index),
    16: (index) => view.getUint16(12 + 2 * index),
    32: (index) => view.getUint32(12 + 4 * index),
  }
  const at = readers[bits]
  if (!at) throw invalidAudio("The file's table of packet sizes has an unknown form.")
  return { count, at }
}

const required = (boxes: readonly Box[], ...types: string[]): Box => {
  const box = boxes.find(({ type }) => types.includes(type))
  if (!box) throw invalidAudio(`The index of the file lacks its table ${JSON.stringify(types[0])}.`)
  return box
}

/** Reads a `stbl` box. */
export const readSampleTable = async (source: ByteSource, table: Box): Promise<SampleTable> => {
  const boxes = await readBoxes(source, table.start, table.end)
  const body = (...types: string[]) => readBody(source, required(boxes, ...types), largestTable)
  const sizesBox = required(boxes, 'stsz', 'stz2')
  const sizes = sizesOf(await readBody(source, sizesBox, largestTable), sizesBox.type === 'stz2')
  const isLong = required(boxes, 'stco', 'co64').type === 'co64'
  const chunks = rowsOf(await body('stco', 'co64'), { start: 8, columns: isLong ? 2 : 1 })
  const runs = rowsOf(await body('stsc'), { start: 8, columns: 3 })
  const times = rowsOf(await body('stts'), { start: 8, columns: 2 })
  let duration = 0
  for (let row = 0; row < times.count; row++) duration += times.at(row, 0) * times.at(row, 1)
  const chunkOffset = (chunk: number) =>
    isLong ? chunks.at(chunk, 0) * 2 ** 32 + chunks.at(chunk, 1) : chunks.at(chunk, 0)
  function* packets(): Generator<PacketPosition> {
    let packet = 0
    for (let run = 0; run < runs.count; run++) {
      const [first, perChunk] = [runs.at(run, 0) - 1, runs.at(run, 1)]
      const next = run + 1 < runs.count ? runs.at(run + 1, 0) - 1 : chunks.count
      for (let chunk = first; chunk >= 0 && chunk < Math.min(next, chunks.count); chunk++) {
        let offset = chunkOffset(chunk)
        for (let i = 0; i < perChunk; i++, packet++) {
          if (packet >= sizes.count) return
          const length = sizes.at(packet)
          yield { offset, length }
          offset += length
        }
      }
    }
  }
  return { duration, packets }
}
