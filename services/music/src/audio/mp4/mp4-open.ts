import { type ByteSource, viewOf } from '../byte-source.ts'
import type { ChannelOrder, DecodedAudio } from '../decoded-audio.ts'
import { type Block, blockLength, joinBlocks, sliceBlock } from '../pcm.ts'
import { AudioRefused, invalidAudio } from '../refusal.ts'
import { type Box, findBox, readBody, readBoxes } from './boxes.ts'
import { readSpan, type Span } from './edits.ts'
import { readFragments } from './fragments.ts'
import { createPacketDecoder } from './packet-decoder.ts'
import { readAhead } from './read-ahead.ts'
import { isSound, type Mp4Codec, readCodec } from './sample-entry.ts'
import { readSampleTable, type SampleTable } from './sample-table.ts'

const largestHeader = 4_096
/** Frames that are passed on at once. */
const blockFrames = 16_384
/** A packet of AAC has at most 768 bytes a channel; one of ALAC is hardly larger than its samples. */
const largestPacket = 16 * 1024 * 1024

/** The first audio track of a movie. */
const findSoundTrack = async (source: ByteSource, movie: Box): Promise<Box> => {
  const tracks = (await readBoxes(source, movie.start, movie.end)).filter(({ type }) => type === 'trak')
  for (const track of tracks) {
    const handler = await findBox(source, track, 'mdia', 'hdlr')
    if (handler && isSound(await readBody(source, handler, largestHeader))) return track
  }
  throw new AudioRefused('unsupported', 'The MP4 file has no audio track.')
}

/** The time scale in a `mvhd` or `mdhd` box, whose version determines where it is. */
const timeScaleOf = (header: Uint8Array): number => {
  const at = header[0] === 1 ? 20 : 12
  const scale = header.length >= at + 4 ? viewOf(header).getUint32(at) : 0
  if (scale === 0) throw invalidAudio('The index of the file has no time scale.')
  return scale
}

const requireBox = async (source: ByteSource, parent: Box, ...path: string[]): Promise<Box> => {
  const box = await findBox(source, parent, ...path)
  if (!box) throw invalidAudio(`The index of the file lacks its part ${JSON.stringify(path.join('/'))}.`)
  return box
}

/** Boxes of a file that consists of fragments: four for each of them, of which a second of audio may be one. */
const maxFileBoxes = 10_000

const readFile = async (source: ByteSource): Promise<{ boxes: readonly Box[]; movie: Box }> => {
  const boxes = await readBoxes(source, 0, source.size, maxFileBoxes)
  const movie = boxes.find(({ type }) => type === 'moov')
  if (!movie) throw invalidAudio('The M4A file has no index ("moov"): it is probably truncated.')
  return { boxes, movie }
}

const channelOrders: Record<Mp4Codec['kind'], ChannelOrder> = {
  aac: 'mpeg',
  alac: 'mpeg',
  flac: 'smpte',
  opus: 'vorbis',
}

/**
 * Decodes packets one after the other, and ends where the file does. Packets do not overlap, so together they are not longer than
 * the file: an index that repeats the same bytes must not let a small file become hours.
 */
async function* decodePackets(source: ByteSource, table: SampleTable, codec: Mp4Codec): AsyncGenerator<Block> {
  const decoder = createPacketDecoder(codec)
  const read = readAhead(source)
  let total = 0
  try {
    for (const { offset, length } of table.packets()) {
      if (length > largestPacket || length === 0 || offset < 0)
        throw invalidAudio('A packet of the M4A file has an impossible size or position.')
      total += length
      if (offset + length > source.size || total > source.size) break
      yield await decoder.decode(await read(offset, length))
    }
    if (decoder.flush) yield await decoder.flush()
  } finally {
    await decoder.free?.()
  }
}

/** The frames of a span, in blocks of moderate length. */
async function* framesOfSpan(
  decoded: AsyncIterable<Block>,
  { skip, frames }: Span,
  channels: number,
): AsyncGenerator<Block> {
  let position = 0
  let [held, heldFrames]: [Block[], number] = [[], 0]
  for await (const block of decoded) {
    const part = sliceBlock(block, Math.max(0, skip - position), Math.max(0, skip + frames - position))
    position += blockLength(block)
    if (blockLength(part) > 0) held.push(part)
    heldFrames += blockLength(part)
    if (heldFrames >= blockFrames) {
      yield joinBlocks(held, channels)
      ;[held, heldFrames] = [[], 0]
    }
    if (position >= skip + frames) break
  }
  if (heldFrames > 0) yield joinBlocks(held, channels)
}

/**
 * Opens an MP4 file with AAC-LC, ALAC, FLAC or Opus, in one piece or in fragments. It is gapless: only the span of its edit list, or of iTunes'
 * comment, is read. Throws AudioRefused.
 */
export const openMp4 = async (source: ByteSource): Promise<DecodedAudio> => {
  const { boxes, movie } = await readFile(source)
  const track = await findSoundTrack(source, movie)
  const media = await requireBox(source, track, 'mdia')
  const scaleIn = async (parent: Box, name: string) =>
    timeScaleOf(await readBody(source, await requireBox(source, parent, name), largestHeader))
  const [movieScale, mediaScale] = [await scaleIn(movie, 'mvhd'), await scaleIn(media, 'mdhd')]
  const samples = await requireBox(source, media, 'minf', 'stbl')
  const codec = await readCodec(source, await requireBox(source, samples, 'stsd'))
  const ordinary = await readSampleTable(source, samples)
  const isFragmented = boxes.some(({ type }) => type === 'moof')
  const table = isFragmented ? await readFragments(source, { boxes, movie, track, table: ordinary }) : ordinary
  const { sampleRate, channels } = codec.config
  const delay = codec.kind === 'opus' ? codec.config.delay : 0
  const timing = { sampleRate, movieScale, mediaScale, mediaDuration: table.duration, delay }
  const span = await readSpan(source, { movie, track }, timing)
  return {
    container: 'm4a',
    channelOrder: channelOrders[codec.kind],
    sampleRate,
    channels,
    promisedFrames: span.frames,
    blocks: framesOfSpan(decodePackets(source, table, codec), span, channels),
  }
}
