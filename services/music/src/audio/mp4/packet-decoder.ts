import { createAacDecoder } from '../aac/decode.ts'
import { createAlacDecoder } from '../alac/decode.ts'
import { readFrame } from '../flac/frame.ts'
import type { StreamInfo } from '../flac/stream-info.ts'
import { NoFrame } from '../flac/subframe.ts'
import type { Block } from '../pcm.ts'
import { invalidAudio } from '../refusal.ts'
import { createOpusDecoder } from './opus.ts'
import type { Mp4Codec } from './sample-entry.ts'

/** Decodes the packets of a track one after the other. */
export type PacketDecoder = {
  decode(packet: Uint8Array): Block | Promise<Block>
  /** What is left after the last packet. */
  flush?(): Promise<Block>
  free?(): Promise<void>
}

/** Creates a decoder of packets that are one FLAC frame each (Encapsulation of FLAC in ISOBMFF, 3.3.3). */
const createFlacPacketDecoder = (info: StreamInfo): PacketDecoder => ({
  decode(packet) {
    try {
      const { block, sampleRate } = readFrame(packet, info)
      if (block.length === info.channels && sampleRate === info.sampleRate) return block
    } catch (error) {
      if (!(error instanceof NoFrame)) throw error
      throw invalidAudio('A packet of FLAC is damaged.', error)
    }
    throw invalidAudio('The sample rate or the channels change within the FLAC stream.')
  },
})

/** Creates the decoder of a codec. */
export const createPacketDecoder = (codec: Mp4Codec): PacketDecoder => {
  switch (codec.kind) {
    case 'aac':
      return { decode: createAacDecoder(codec.config) }
    case 'alac':
      return { decode: createAlacDecoder(codec.config) }
    case 'flac':
      return createFlacPacketDecoder(codec.config)
    case 'opus':
      return createOpusDecoder(codec.config)
  }
}
