import type { AudioShape, Block } from './pcm.ts'

/** Containers that are told apart by content. */
export type AudioContainer = 'wav' | 'aiff' | 'mp3' | 'flac' | 'ogg-vorbis' | 'ogg-opus' | 'ogg-flac' | 'm4a'

/** How the channels of a file are ordered, which decides how more than two are mixed down. */
export type ChannelOrder = 'smpte' | 'vorbis'

/** A file that is being decoded: its shape is known, its samples come block by block. */
export interface DecodedAudio extends AudioShape {
  readonly container: AudioContainer
  readonly channelOrder: ChannelOrder
  /** Frames that the header promises; the blocks may hold fewer. Undefined where it does not say. */
  readonly promisedFrames: number | undefined
  /** The samples, once; each block has `channels` arrays and at most a few hundred thousand frames. */
  readonly blocks: AsyncIterable<Block>
}
