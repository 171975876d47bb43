import { viewOf } from '../byte-source.ts'
import type { CodecOutput } from '../codec.ts'
import { createOggOpusCodec } from '../ogg-opus-codec.ts'
import { oggFlag } from '../ogg-page-header.ts'
import { largestPagePacket, oggPageOf } from '../ogg-page-write.ts'
import { opusPacketFrames } from '../opus-duration.ts'
import type { AudioShape, Block } from '../pcm.ts'
import { AudioRefused, invalidAudio } from '../refusal.ts'
import type { PacketDecoder } from './packet-decoder.ts'

/** Properties of an Opus stream, from its `dOps` box. */
export type OpusConfig = AudioShape & {
  /** Frames that the decoder returns before the sound. */
  readonly delay: number
  /** The same properties as the first packet of an Ogg stream (RFC 7845, 5.1), without the delay. */
  readonly head: Uint8Array
}

/** Opus decodes at this rate, whatever that of its source was. */
const opusRate = 48_000
const fixedBytes = 11
/** What precedes these bytes in Ogg. */
const headMarker = 'OpusHead'

/** Parses the body of a `dOps` box (Encapsulation of Opus in ISOBMFF, 4.3.2), which differs from the header in Ogg in the order of bytes. */
export const parseOpusConfig = (body: Uint8Array): OpusConfig => {
  const channels = body[1] ?? 0
  const mapping = body[10] === 0 ? 0 : 2 + channels
  if (body.length < fixedBytes + mapping || channels === 0) throw invalidAudio('The Opus config is damaged.')
  const view = viewOf(body)
  const head = Buffer.concat([Buffer.from(headMarker), body.subarray(0, fixedBytes + mapping)])
  head[headMarker.length] = 1
  head.writeUInt16LE(0, headMarker.length + 2)
  head.writeUInt32LE(view.getUint32(4), headMarker.length + 4)
  head.writeInt16LE(view.getInt16(8), headMarker.length + 8)
  return { sampleRate: opusRate, channels, delay: view.getUint16(2), head }
}

/** The second packet of an Ogg stream: no vendor, no comments. */
const tags = Buffer.concat([Buffer.from('OpusTags'), Buffer.alloc(8)])

/** The result of a call of the decoder, whose errors, whatever they are, mean damaged packets. */
const guarded = async <Result>(call: () => Result | Promise<Result>): Promise<Result> => {
  try {
    return await call()
  } catch (cause) {
    throw cause instanceof AudioRefused ? cause : invalidAudio('The Opus stream of the M4A file is damaged.', cause)
  }
}

/** Creates a decoder of Opus packets: they are put into pages of Ogg, which is what the decoder reads. */
export const createOpusDecoder = ({ channels, head }: OpusConfig): PacketDecoder => {
  const codec = createOggOpusCodec()
  let [granule, sequence] = [0, 0]

  const blockOf = ({ channelData, samplesDecoded }: CodecOutput): Block => {
    if (samplesDecoded > 0 && channelData.length !== channels)
      throw invalidAudio('The Opus stream of the M4A file has other channels than it declares.')
    return channelData.map((channel) => channel.subarray(0, samplesDecoded))
  }
  const decodePacket = async (packet: Uint8Array, flags = 0): Promise<Block> => {
    const page = oggPageOf(packet, { granule, sequence, flags })
    sequence += 1
    return blockOf(await codec.decode(page))
  }
  const begin = async (): Promise<void> => {
    await codec.ready
    await decodePacket(head, oggFlag.beginsStream)
    await decodePacket(tags)
  }

  return {
    decode: (packet) =>
      guarded(async () => {
        if (packet.length > largestPagePacket) throw invalidAudio('A packet of the Opus stream is too large.')
        if (sequence === 0) await begin()
        granule += opusPacketFrames(packet[0] ?? 0, packet[1] ?? 0)
        return decodePacket(packet)
      }),
    flush: () => guarded(async () => (codec.flush ? blockOf(await codec.flush()) : [])),
    free: () => guarded(() => codec.free()),
  }
}
