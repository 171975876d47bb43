import { type ByteSource, viewOf } from '../byte-source.ts'
import { AudioRefused } from '../refusal.ts'
import { type Box, findBox, readBody, readBoxes } from './boxes.ts'

/** The audible part of a decoded track, in frames. */
export type Span = { readonly skip: number; readonly frames: number }

const largestEdits = 65_536
const largestComment = 4_096
/** The media time of an edit that inserts silence. */
const emptyEdit = -1

type Edit = { readonly duration: number; readonly mediaTime: number }

/** Reads an `elst` box (ISO/IEC 14496-12, 8.6.6): durations in movie time, positions in media time. */
const readEdits = async (source: ByteSource, box: Box): Promise<Edit[]> => {
  const body = await readBody(source, box, largestEdits)
  if (body.length < 8) return []
  const view = viewOf(body)
  const isLong = view.getUint8(0) === 1
  const size = isLong ? 20 : 12
  const count = Math.min(view.getUint32(4), Math.floor((body.length - 8) / size))
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + index * size
    return isLong
      ? { duration: Number(view.getBigUint64(at)), mediaTime: Number(view.getBigInt64(at + 8)) }
      : { duration: view.getUint32(at), mediaTime: view.getInt32(at + 4) }
  })
}

export type Timing = {
  readonly sampleRate: number
  /** Units per second of the movie and of the track. */
  readonly movieScale: number
  readonly mediaScale: number
  /** Duration of all packets, in units of the track. */
  readonly mediaDuration: number
  /** Frames before the sound, by the config of the codec: what is skipped without an edit list. */
  readonly delay: number
}

/**
 * The span of an edit list. Its duration is often in milliseconds, so it only counts when it differs from the rest of the track
 * by more than its own precision.
 */
export const spanOfEdits = (
  edits: readonly Edit[],
  { sampleRate, movieScale, mediaScale, mediaDuration, delay }: Timing,
): Span => {
  const whole = Math.round((mediaDuration * sampleRate) / mediaScale)
  const media = edits.filter(({ mediaTime }) => mediaTime !== emptyEdit)
  const [edit, ...more] = media
  if (!edit) return { skip: delay, frames: Math.max(0, whole - delay) }
  if (more.length > 0)
    throw new AudioRefused('unsupported', 'The file is cut from several parts by an edit list: export it as one piece.')
  const skip = Math.max(0, Math.round((edit.mediaTime * sampleRate) / mediaScale))
  const rest = Math.max(0, whole - skip)
  const stated = (edit.duration * sampleRate) / movieScale
  const precision = sampleRate / movieScale
  return {
    skip,
    frames: edit.duration === 0 || Math.abs(stated - rest) <= precision ? rest : Math.min(rest, Math.round(stated)),
  }
}

/** The span in iTunes' comment: hexadecimal fields, of which the second to the fourth are delay, padding and length. */
export const spanOfComment = (text: string): Span | undefined => {
  const fields = text.trim().split(/\s+/)
  const [, delay, , length] = fields.map((field) =>
    /^[0-9a-f]{1,16}$/i.test(field) ? Number.parseInt(field, 16) : Number.NaN,
  )
  const isValid = Number.isSafeInteger(delay) && Number.isSafeInteger(length) && (length ?? 0) > 0
  return isValid ? { skip: delay ?? 0, frames: length ?? 0 } : undefined
}

/** Reads the comment `iTunSMPB` of a movie, which is exact where an edit list is not. */
const readComment = async (source: ByteSource, movie: Box): Promise<Span | undefined> => {
  const meta = await findBox(source, movie, 'udta', 'meta')
  if (!meta) return undefined
  const list = (await readBoxes(source, meta.start + 4, meta.end)).find(({ type }) => type === 'ilst')
  if (!list) return undefined
  for (const item of await readBoxes(source, list.start, list.end)) {
    if (item.type !== '----') continue
    const parts = await readBoxes(source, item.start, item.end)
    const [name, data] = ['name', 'data'].map((type) => parts.find((part) => part.type === type))
    if (!name || !data || name.end - name.start > largestComment || data.end - data.start > largestComment) continue
    const text = async (box: Box, header: number) =>
      Buffer.from(await source.read(box.start + header, Math.max(0, box.end - box.start - header))).toString('latin1')
    if ((await text(name, 4)) === 'iTunSMPB') return spanOfComment(await text(data, 8))
  }
  return undefined
}

/** The audible part of a track: by iTunes' comment, else by its edit list, else all of it. */
export const readSpan = async (
  source: ByteSource,
  { movie, track }: { movie: Box; track: Box },
  timing: Timing,
): Promise<Span> => {
  const comment = await readComment(source, movie)
  if (comment) return comment
  const list = await findBox(source, track, 'edts', 'elst')
  return spanOfEdits(list ? await readEdits(source, list) : [], timing)
}
