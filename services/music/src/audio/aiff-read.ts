import { type ByteSource, fourCharacters, viewOf } from './byte-source.ts'
import type { DecodedAudio } from './decoded-audio.ts'
import { canReadSamples, type SampleLayout } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'
import { type Chunk, readChunks } from './riff-chunks.ts'
import { sampleBlocks } from './sample-blocks.ts'

type Encoding = Pick<SampleLayout, 'encoding' | 'littleEndian'> & { readonly bytes?: number }

/** AIFF-C compression types that are plain samples; without `bytes`, the sample size determines them. */
const encodingOfType: Record<string, Encoding> = {
  NONE: { encoding: 'integer', littleEndian: false },
  twos: { encoding: 'integer', littleEndian: false },
  sowt: { encoding: 'integer', littleEndian: true },
  'raw ': { encoding: 'unsigned', littleEndian: false, bytes: 1 },
  in24: { encoding: 'integer', littleEndian: false, bytes: 3 },
  in32: { encoding: 'integer', littleEndian: false, bytes: 4 },
  '42ni': { encoding: 'integer', littleEndian: true, bytes: 3 },
  '23ni': { encoding: 'integer', littleEndian: true, bytes: 4 },
  fl32: { encoding: 'float', littleEndian: false, bytes: 4 },
  FL32: { encoding: 'float', littleEndian: false, bytes: 4 },
  fl64: { encoding: 'float', littleEndian: false, bytes: 8 },
  FL64: { encoding: 'float', littleEndian: false, bytes: 8 },
  ulaw: { encoding: 'mu-law', littleEndian: false, bytes: 1 },
  ULAW: { encoding: 'mu-law', littleEndian: false, bytes: 1 },
  alaw: { encoding: 'a-law', littleEndian: false, bytes: 1 },
  ALAW: { encoding: 'a-law', littleEndian: false, bytes: 1 },
}

/** An 80-bit IEEE extended number, the format of AIFF sample rates: 15 bits of exponent, 64 of explicit mantissa. */
export const readExtended = (view: DataView, offset: number): number => {
  const head = view.getUint16(offset, false)
  const mantissa = view.getUint32(offset + 2, false) * 2 ** 32 + view.getUint32(offset + 6, false)
  const exponent = head & 0x7fff
  const magnitude = exponent === 0x7fff ? Number.POSITIVE_INFINITY : mantissa * 2 ** (exponent - 16383 - 63)
  return head & 0x8000 ? -magnitude : magnitude
}

/** Whether the length of a sound chunk may be right: interrupted recorders and streams leave 0 or an impossible one. */
const hasLength = ({ offset, length }: Chunk, { size }: ByteSource): boolean => length > 0 && offset + length <= size

/**
 * Opens an AIFF or AIFF-C file: signed PCM of 8 to 32 bits in either byte order, float, A-law and µ-law. The sound chunk may
 * precede the common chunk that describes it. Streamed files, whose lengths are unknown, are read to their end. Throws AudioRefused.
 */
export const openAiff = async (source: ByteSource): Promise<DecodedAudio> => {
  const isCompressed = fourCharacters(await source.read(8, 4), 0) === 'AIFC'
  const chunks = await readChunks(source, {
    offset: 12,
    littleEndian: false,
    // No chunk can be found after a sound chunk of unknown length.
    stopAt: (chunk) => chunk.name === 'SSND' && !hasLength(chunk, source),
  })
  const [common, sound] = ['COMM', 'SSND'].map((name) => chunks.find((chunk) => chunk.name === name))
  if (!common || !sound) throw invalidAudio(`The AIFF file has no ${common ? 'sound' : 'common'} chunk.`)
  const head = await source.read(common.offset, Math.min(common.length, 22))
  if (head.length < (isCompressed ? 22 : 18)) throw invalidAudio('The common chunk of the AIFF file is too short.')
  const view = viewOf(head)
  const [channels, statedFrames, bits] = [view.getUint16(0, false), view.getUint32(2, false), view.getUint16(6, false)]
  const type = isCompressed ? fourCharacters(head, 18) : 'NONE'
  const found = encodingOfType[type]
  if (!found) throw new AudioRefused('unsupported', `AIFF-C compression ${JSON.stringify(type)} is not supported.`)
  if (channels === 0) throw invalidAudio('The AIFF file has no channels.')
  const layout: SampleLayout = { ...found, bytes: found.bytes ?? Math.ceil(bits / 8) }
  if (!canReadSamples(layout)) throw new AudioRefused('unsupported', `AIFF samples of ${bits} bits are not supported.`)
  const preamble = await source.read(sound.offset, 8)
  if (preamble.length < 8) throw invalidAudio('The sound chunk of the AIFF file is truncated.')
  const offset = sound.offset + 8 + viewOf(preamble).getUint32(0, false)
  const framesUntil = (end: number) => Math.floor(Math.max(0, end - offset) / (layout.bytes * channels))
  const soundEnd = hasLength(sound, source) ? sound.offset + sound.length : source.size
  const frames = statedFrames === 0 ? framesUntil(soundEnd) : Math.min(statedFrames, framesUntil(source.size))
  return {
    container: 'aiff',
    channelOrder: 'smpte',
    sampleRate: Math.round(readExtended(view, 8)),
    channels,
    promisedFrames: frames,
    blocks: sampleBlocks(source, { offset, frames, channels, layout }),
  }
}
