import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { MPEGDecoder } from 'mpg123-decoder'
import type { ByteSource } from './byte-source.ts'
import type { Codec, CodecOutput } from './codec.ts'
import { type DecodedBytes, feedCodec, withFirstBlock } from './codec-feed.ts'
import type { AudioContainer, DecodedAudio } from './decoded-audio.ts'
import { createFlacCodec } from './flac/codec.ts'
import { findMp3Frame } from './mp3-frame.ts'
import { createOggCodec } from './ogg-links.ts'
import { createOggOpusCodec } from './ogg-opus-codec.ts'
import { createPageFilter } from './ogg-pages.ts'
import type { OggContainer } from './ogg-streams.ts'
import { createOpusCounter } from './opus-duration.ts'
import { type Block, blockLength, sliceBlock } from './pcm.ts'
import { AudioRefused, invalidAudio } from './refusal.ts'

export type CodecContainer = Exclude<AudioContainer, 'wav' | 'aiff' | 'm4a'>

/** In the mapping of FLAC to Ogg, what precedes the stream in the data of its first page. */
const flacMappingBytes = 9

const codecs: Record<CodecContainer, () => Codec> = {
  mp3: () => new MPEGDecoder(),
  flac: createFlacCodec,
  'ogg-flac': () =>
    createOggCodec({
      create: createFlacCodec,
      content: (_, data, isFirst) => (isFirst ? data.subarray(flacMappingBytes) : data),
    }),
  'ogg-vorbis': () => createOggCodec({ create: () => new OggVorbisDecoder() }),
  'ogg-opus': createOggOpusCodec,
}

const isOgg = (container: CodecContainer): container is OggContainer => container.startsWith('ogg-')

const names: Record<CodecContainer, string> = {
  mp3: 'MP3',
  flac: 'FLAC',
  'ogg-flac': 'Ogg FLAC',
  'ogg-vorbis': 'Ogg Vorbis',
  'ogg-opus': 'Ogg Opus',
}

/** More channels than any format has mean that the decoder has read its own memory. */
const mostChannels = 255

/** Converts what a codec returns. Throws if it cannot be true. */
const blockOf = (output: CodecOutput): DecodedBytes => {
  const { channelData, samplesDecoded, sampleRate } = output
  if (samplesDecoded > 0 && channelData.length > mostChannels)
    throw new Error(`The decoder reports ${channelData.length} channels`)
  return { block: channelData.map((channel) => channel.subarray(0, samplesDecoded)), sampleRate }
}

/**
 * A limit for the output of the Opus decoder, which conceals what is missing: no more frames than the packets hold. Other codecs
 * have none.
 */
const createOutputLimit = (container: CodecContainer) => {
  const counter = container === 'ogg-opus' ? createOpusCounter() : undefined
  let passed = 0
  return {
    observe: counter?.page,
    apply({ block, sampleRate }: DecodedBytes): DecodedBytes {
      if (!counter) return { block, sampleRate }
      const limited = sliceBlock(block, 0, Math.max(0, counter.frames() - passed))
      passed += blockLength(limited)
      return { block: limited, sampleRate }
    },
  }
}

/** Runs the codec over the source. Any error that it throws means a damaged file. The codec is always freed. */
async function* decodeWith(
  container: CodecContainer,
  source: ByteSource,
  offset: number,
): AsyncGenerator<DecodedBytes> {
  const codec = codecs[container]()
  const damaged = (cause: unknown) =>
    invalidAudio(`The ${names[container]} file is damaged and cannot be decoded.`, cause)
  const limit = createOutputLimit(container)
  const checked = async (output: Promise<CodecOutput> | CodecOutput) => limit.apply(blockOf(await output))
  const decoded = (bytes: Uint8Array): Promise<DecodedBytes> =>
    bytes.length === 0 ? Promise.resolve({ block: [], sampleRate: 0 }) : checked(codec.decode(bytes))
  try {
    await codec.ready
    const pages = isOgg(container) ? createPageFilter(container, limit.observe) : undefined
    yield* feedCodec(source, offset, (bytes) => decoded(pages ? pages.push(bytes) : bytes))
    const remainder = await decoded(pages?.end() ?? new Uint8Array())
    if (blockLength(remainder.block) > 0) yield remainder
    const flushed = codec.flush ? await checked(codec.flush()) : remainder
    // Without samples, the number of channels and the rate are undefined.
    if (codec.flush && blockLength(flushed.block) > 0) yield flushed
  } catch (cause) {
    throw cause instanceof AudioRefused ? cause : damaged(cause)
  } finally {
    free(codec, damaged)
  }
}

/** Frees a codec. A file can damage the memory of its codec, which no other codec shares, so that this fails. */
const free = (codec: Codec, damaged: (cause: unknown) => Error): void => {
  try {
    codec.free()
  } catch (cause) {
    throw damaged(cause)
  }
}

/** Blocks of one shape: a stream that changes its rate or channels is rejected, not resampled. */
async function* ofOneShape(
  decoded: AsyncGenerator<DecodedBytes>,
  shape: DecodedBytes,
  channels: number,
): AsyncGenerator<Block> {
  for await (const { block, sampleRate } of decoded) {
    if (sampleRate !== shape.sampleRate || block.length !== shape.block.length) {
      throw invalidAudio('The sample rate or the channels change within the file.')
    }
    yield block.slice(0, channels)
  }
}

/** The MP3 decoder always outputs stereo; the first frame has the actual number of channels. */
const channelsOf = async (
  container: CodecContainer,
  source: ByteSource,
  offset: number,
  decoded: number,
): Promise<number> => {
  if (container !== 'mp3') return decoded
  const head = await source.read(offset, 65_536)
  return findMp3Frame(head, 0)?.frame.channels ?? decoded
}

/** Opens a compressed file. MP3 is gapless if its header has the padding. Throws AudioRefused. */
export const openCompressed = async (
  container: CodecContainer,
  source: ByteSource,
  offset: number,
): Promise<DecodedAudio> => {
  const { first, all } = await withFirstBlock(decodeWith(container, source, offset))
  if (!first || first.block.length === 0) throw invalidAudio(`The ${names[container]} file contains no audio.`)
  const channels = await channelsOf(container, source, offset, first.block.length)
  return {
    container,
    channelOrder: container === 'ogg-vorbis' || container === 'ogg-opus' ? 'vorbis' : 'smpte',
    sampleRate: first.sampleRate,
    channels,
    promisedFrames: undefined,
    blocks: ofOneShape(all, first, channels),
  }
}
