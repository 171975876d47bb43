import type { AudioShape, Block } from './pcm.ts'

/** Containers that are detected by content. */
export type AudioContainer = 'wav' | 'aiff' | 'mp3' | 'flac' | 'ogg-vorbis' | 'ogg-opus' | 'ogg-flac' | 'm4a'

/** Channel order of a file, which determines how more than two channels are mixed down. */
export type ChannelOrder = 'smpte' | 'vorbis' | 'mpeg'

/** A file that is being decoded: its shape is known, its samples are decoded block by block. */
export type DecodedAudio = AudioShape & {
  readonly container: AudioContainer
  readonly channelOrder: ChannelOrder
  /** The speakers of the channels, if the file names them: a bit for each, from the lowest, as in WAVE_FORMAT_EXTENSIBLE. */
  readonly speakers?: number
  /** Frames that the header declares; the blocks may have fewer. Undefined if it declares none. */
  readonly promisedFrames: number | undefined
  /** The samples, readable once; each block has `channels` arrays and at most a few hundred thousand frames. */
  readonly blocks: AsyncIterable<Block>
}
