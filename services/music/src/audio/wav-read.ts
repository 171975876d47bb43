import { type ByteSource, fourCharacters, viewOf } from './byte-source.ts'
import type { DecodedAudio } from './decoded-audio.ts'
import { canReadSamples, type SampleLayout } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'
import { type Chunk, readChunks } from './riff-chunks.ts'
import { sampleBlocks } from './sample-blocks.ts'

/** Format tags of RFC 2361 for plain samples; all others are codecs. */
const encodingOfTag: Record<number, SampleLayout['encoding']> = { 1: 'integer', 3: 'float', 6: 'a-law', 7: 'mu-law' }
const extensible = 0xfffe
/** A length that means "unknown" (streams) or "see ds64" (RF64). */
const unknownLength = 0xffffffff

type WavFormat = {
  readonly channels: number
  readonly sampleRate: number
  readonly layout: SampleLayout
  /** The speakers of its channels, if it names them. */
  readonly speakers: number
}

const parseFormat = (bytes: Uint8Array, littleEndian: boolean): WavFormat => {
  if (bytes.length < 16) throw invalidAudio('The format chunk of the WAV file is too short.')
  const view = viewOf(bytes)
  const u16 = (offset: number) => view.getUint16(offset, littleEndian)
  const isExtensible = u16(0) === extensible && bytes.length >= 26
  const tag = isExtensible ? u16(24) : u16(0)
  const [channels, sampleRate, blockAlign, bits] = [u16(2), view.getUint32(4, littleEndian), u16(12), u16(14)]
  const encoding = encodingOfTag[tag]
  if (!encoding) {
    throw new AudioRefused(
      'unsupported',
      `The WAV file contains codec 0x${tag.toString(16)}; send PCM or float samples.`,
    )
  }
  if (channels === 0) throw invalidAudio('The WAV file has no channels.')
  // blockAlign determines the container size of a sample (20 bits may occupy 3 or 4 bytes). An invalid blockAlign is one of
  // the most common header faults; the bit depth is used instead.
  const stated = blockAlign / channels
  const bytesPerSample = Number.isInteger(stated) && stated * 8 >= bits && stated > 0 ? stated : Math.ceil(bits / 8)
  const layout: SampleLayout = {
    encoding: encoding === 'integer' && bytesPerSample === 1 ? 'unsigned' : encoding,
    bytes: bytesPerSample,
    littleEndian,
  }
  if (!canReadSamples(layout)) {
    throw new AudioRefused('unsupported', `WAV samples of ${bits} bits (${encoding}) are not supported.`)
  }
  return { channels, sampleRate, layout, speakers: isExtensible ? view.getUint32(20, littleEndian) : 0 }
}

/** The data length of an RF64 file, from its ds64 chunk (EBU Tech 3306). */
const lengthInDs64 = async (source: ByteSource, chunks: Chunk[]): Promise<number | undefined> => {
  const ds64 = chunks.find((chunk) => chunk.name === 'ds64')
  if (!ds64) return undefined
  const bytes = await source.read(ds64.offset, 16)
  return bytes.length === 16 ? Number(viewOf(bytes).getBigUint64(8, true)) : undefined
}

const isData = (chunk: Chunk) => chunk.name === 'data'

/**
 * Opens a WAV file: PCM of 8 to 32 bits, float of 32 and 64, A-law and µ-law; RIFF, RIFX, RF64 and BW64;
 * WAVE_FORMAT_EXTENSIBLE; odd chunks, wrong or missing data lengths and truncated files. Throws AudioRefused.
 */
export const openWav = async (source: ByteSource): Promise<DecodedAudio> => {
  const littleEndian = fourCharacters(await source.read(0, 4), 0) !== 'RIFX'
  const chunks = await readChunks(source, {
    offset: 12,
    littleEndian,
    // No chunk can be found after a data chunk whose length is unknown, impossible or zero: interrupted recorders leave a
    // length of 0, followed by the samples.
    stopAt: (chunk) => isData(chunk) && (chunk.length === 0 || chunk.offset + chunk.length > source.size),
  })
  const formatChunk = chunks.find((chunk) => chunk.name === 'fmt ')
  const data = chunks.find(isData)
  if (!formatChunk || !data) throw invalidAudio(`The WAV file has no ${formatChunk ? 'data' : 'format'} chunk.`)
  const formatBytes = await source.read(formatChunk.offset, Math.min(formatChunk.length, 40))
  const { channels, sampleRate, layout, speakers } = parseFormat(formatBytes, littleEndian)
  const present = source.size - data.offset
  const stated = data.length === unknownLength ? ((await lengthInDs64(source, chunks)) ?? present) : data.length
  const length = stated === 0 ? present : Math.min(stated, present)
  const frames = Math.floor(length / (layout.bytes * channels))
  return {
    container: 'wav',
    channelOrder: 'smpte',
    sampleRate,
    channels,
    speakers,
    promisedFrames: frames,
    blocks: sampleBlocks(source, { offset: data.offset, frames, channels, layout }),
  }
}
