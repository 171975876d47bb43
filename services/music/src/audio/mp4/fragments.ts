import { type ByteSource, viewOf } from '../byte-source.ts'
import { invalidAudio } from '../refusal.ts'
import { type Box, findBox, readBody, readBoxes } from './boxes.ts'
import type { PacketPosition, SampleTable } from './sample-table.ts'

/** Maximum size of a header of a fragment, and of the table of one run of packets. */
const largestHeader = 4_096
const largestRun = 16 * 1024 * 1024
/** Maximum number of tracks in a fragment, of parts of each, and of all parts: more are an attempt to exhaust the reader. */
const limits = { tracks: 64, parts: 256, all: 100_000 } as const

/** Flags of a track fragment (ISO/IEC 14496-12, 8.8.7) and of a run of packets (8.8.8), in the order of their fields. */
const inFragment = { base: 0x1, description: 0x2, duration: 0x8, size: 0x10 } as const
const inRun = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, composition: 0x800 } as const
const baseIsMovieFragment = 0x20000

/** Duration and size of packets that do not state them. */
type Defaults = { readonly duration: number; readonly size: number }

/** Reads the fields of a box one after the other; a field that its flags exclude, or beyond the end, is undefined. */
const fieldsOf = (body: Uint8Array) => {
  const view = viewOf(body)
  const flags = body.length >= 4 ? view.getUint32(0) & 0xffffff : 0
  let at = 4
  const take = (flag: number | undefined, bytes: number): number | undefined => {
    if ((flag !== undefined && (flags & flag) === 0) || at + bytes > body.length) return undefined
    at += bytes
    return at - bytes
  }
  return {
    flags,
    rest: () => at,
    u32: (flag?: number): number | undefined => {
      const position = take(flag, 4)
      return position === undefined ? undefined : view.getUint32(position)
    },
    u64: (flag?: number): number | undefined => {
      const position = take(flag, 8)
      return position === undefined ? undefined : Number(view.getBigUint64(position))
    },
  }
}

/** The id of a track, in its header. */
export const readTrackId = async (source: ByteSource, track: Box): Promise<number | undefined> => {
  const header = await findBox(source, track, 'tkhd')
  if (!header) return undefined
  const body = await readBody(source, header, largestHeader)
  const at = body[0] === 1 ? 20 : 12
  return body.length >= at + 4 ? viewOf(body).getUint32(at) : undefined
}

/** The defaults of a track in all fragments. */
const readDefaults = async (source: ByteSource, movie: Box, trackId: number): Promise<Defaults> => {
  const extension = await findBox(source, movie, 'mvex')
  const boxes = extension ? await readBoxes(source, extension.start, extension.end) : []
  for (const box of boxes.filter(({ type }) => type === 'trex')) {
    const fields = fieldsOf(await readBody(source, box, largestHeader))
    const [id, , duration, size] = [fields.u32(), fields.u32(), fields.u32(), fields.u32()]
    if (id === trackId) return { duration: duration ?? 0, size: size ?? 0 }
  }
  return { duration: 0, size: 0 }
}

/** A run of packets that lie one after the other. */
type Run = {
  readonly offset: number
  readonly count: number
  readonly duration: number
  readonly bytes: number
  readonly sizeAt: (packet: number) => number
}

const readRun = (body: Uint8Array, defaults: Defaults, { base, next }: { base: number; next: number }): Run => {
  const view = viewOf(body)
  const fields = fieldsOf(body)
  const declared = fields.u32() ?? 0
  const relative = fields.u32(inRun.offset)
  fields.u32(inRun.firstFlags)
  const columns: readonly number[] = [inRun.duration, inRun.size, inRun.flags, inRun.composition].filter(
    (flag) => fields.flags & flag,
  )
  const start = fields.rest()
  const count =
    columns.length === 0 ? declared : Math.min(declared, Math.floor((body.length - start) / (4 * columns.length)))
  const column = (flag: number, standard: number): ((packet: number) => number) => {
    const index = columns.indexOf(flag)
    return index < 0 ? () => standard : (packet) => view.getUint32(start + 4 * (packet * columns.length + index))
  }
  const [durationAt, sizeAt] = [column(inRun.duration, defaults.duration), column(inRun.size, defaults.size)]
  const total = (at: (packet: number) => number): number => {
    if (columns.length === 0) return count * at(0)
    let sum = 0
    for (let packet = 0; packet < count; packet++) sum += at(packet)
    return sum
  }
  // The offset is signed.
  const offset = relative === undefined ? next : base + (relative | 0)
  return { offset, count, duration: total(durationAt), bytes: total(sizeAt), sizeAt }
}

/** The runs of a track in one `moof` box, which begins at `position`. */
const runsOfFragment = async (
  source: ByteSource,
  { fragment, position }: { fragment: Box; position: number },
  { trackId, defaults }: { trackId: number; defaults: Defaults },
): Promise<{ readonly runs: readonly Run[]; readonly parts: number }> => {
  const runs: Run[] = []
  let parts = 0
  // Without a base of its own a track continues where the last one ended.
  let next = position
  for (const track of await readBoxes(source, fragment.start, fragment.end, limits.tracks)) {
    if (track.type !== 'traf') continue
    const boxes = await readBoxes(source, track.start, track.end, limits.parts)
    parts += boxes.length
    const header = boxes.find(({ type }) => type === 'tfhd')
    if (!header) throw invalidAudio('A fragment of the M4A file has no header.')
    const fields = fieldsOf(await readBody(source, header, largestHeader))
    const id = fields.u32()
    const stated = fields.u64(inFragment.base)
    fields.u32(inFragment.description)
    const own = {
      duration: fields.u32(inFragment.duration) ?? defaults.duration,
      size: fields.u32(inFragment.size) ?? defaults.size,
    }
    const base = stated ?? ((fields.flags & baseIsMovieFragment) !== 0 ? position : next)
    next = base
    for (const box of boxes.filter(({ type }) => type === 'trun')) {
      const run = readRun(await readBody(source, box, largestRun), own, { base, next })
      next = run.offset + run.bytes
      if (id === trackId) runs.push(run)
    }
  }
  return { runs, parts }
}

/**
 * The packets of a fragmented file, as players record them from streams: those of the index, if there are any, then those of
 * each fragment. `boxes` are the boxes of the file.
 */
export const readFragments = async (
  source: ByteSource,
  { boxes, movie, track, table }: { boxes: readonly Box[]; movie: Box; track: Box; table: SampleTable },
): Promise<SampleTable> => {
  const trackId = await readTrackId(source, track)
  if (trackId === undefined) throw invalidAudio('The track of the M4A file has no id.')
  const reading = { trackId, defaults: await readDefaults(source, movie, trackId) }
  const runs: Run[] = []
  let parts = 0
  for (const [index, fragment] of boxes.entries()) {
    if (fragment.type !== 'moof') continue
    const position = boxes[index - 1]?.end ?? 0
    const found = await runsOfFragment(source, { fragment, position }, reading)
    runs.push(...found.runs)
    parts += found.parts
    if (parts > limits.all) throw invalidAudio(`The fragments of the file have more than ${limits.all} parts.`)
  }
  function* packets(): Generator<PacketPosition> {
    yield* table.packets()
    for (const { offset, count, sizeAt } of runs)
      for (let packet = 0, at = offset; packet < count; packet++) {
        const length = sizeAt(packet)
        yield { offset: at, length }
        at += length
      }
  }
  return { duration: runs.reduce((sum, { duration }) => sum + duration, table.duration), packets }
}
