import { createHash } from 'node:crypto'
import { flacCrc8, flacCrc16 } from '../audio/flac/checksums.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import { blocksOf, encodeSamples, type StoredAudio } from '../audio/stored-audio.ts'
import { createBitWriter } from './flac-bits.ts'
import { planSubframe, type Subframe } from './flac-subframe.ts'

const depth = 24
/** Frames (in the sense of samples) of a block; the last one is shorter. */
const blockFrames = 4_096
const blockCode = 12
const otherSizeCode = 7
const depthCode = 6

/** Codes of sample rates in frame headers (RFC 9639, 9.1.2); 0 refers to the stream header. */
const rateCodes: Record<number, number> = {
  ...{ 88200: 1, 176400: 2, 192000: 3, 8000: 4, 16000: 5, 22050: 6 },
  ...{ 24000: 7, 32000: 8, 44100: 9, 48000: 10, 96000: 11 },
}

/** Codes of how two channels are combined (9.1.3). */
const combinations = { leftSide: 8, sideRight: 9, middleSide: 10 } as const

/** The stream header: its marker and the block STREAMINFO (8.2). Unknown frame sizes are 0. */
const streamHeader = ({ sampleRate, channels, frames }: StoredAudio, digest: Uint8Array): Uint8Array => {
  const writer = createBitWriter(64)
  for (const byte of Buffer.from('fLaC')) writer.write(byte, 8)
  writer.write(0x80, 8)
  writer.write(34, 24)
  writer.write(blockFrames, 16)
  writer.write(blockFrames, 16)
  writer.write(0, 24)
  writer.write(0, 24)
  writer.write(sampleRate, 20)
  writer.write(channels - 1, 3)
  writer.write(depth - 1, 5)
  writer.write(Math.floor(frames / 2 ** 32), 4)
  writer.write(frames >>> 0, 32)
  for (const byte of digest) writer.write(byte, 8)
  return writer.bytes().slice()
}

/** The ordinal of a block in the extended UTF-8 of frame headers, which reaches 36 bits. */
const codedNumber = (value: number): number[] => {
  if (value < 0x80) return [value]
  const rest: number[] = []
  let left = value
  let room = 0x40
  while (left >= room) {
    rest.unshift(0x80 | (left & 0x3f))
    left = Math.floor(left / 64)
    room /= 2
  }
  return [(0x100 - 2 * room) | left, ...rest]
}

/** Samples as the integers of which stored bytes consist. */
const integersOf = (block: Block): Int32Array[] =>
  block.map((channel) => {
    const integers = new Int32Array(channel.length)
    for (let i = 0; i < channel.length; i++)
      integers[i] = Math.max(-8_388_608, Math.min(8_388_607, Math.round((channel[i] ?? 0) * 8_388_608)))
    return integers
  })

/** What two channels have in common, and their difference. The middle loses its lowest bit, which is that of the difference. */
const middleAndSide = (left: Int32Array, right: Int32Array): { middle: Int32Array; side: Int32Array } => {
  const [middle, side] = [new Int32Array(left.length), new Int32Array(left.length)]
  for (let i = 0; i < left.length; i++) {
    const [a, b] = [left[i] ?? 0, right[i] ?? 0]
    middle[i] = (a + b) >> 1
    side[i] = a - b
  }
  return { middle, side }
}

type Assignment = { readonly code: number; readonly subframes: readonly Subframe[] }

/** The smallest way to combine the channels. */
const assignmentOf = (channels: readonly Int32Array[]): Assignment => {
  const [first = new Int32Array(0), second] = channels
  const left = planSubframe(first, depth)
  if (!second) return { code: 0, subframes: [left] }
  const right = planSubframe(second, depth)
  const combined = middleAndSide(first, second)
  const middle = planSubframe(combined.middle, depth)
  // A difference needs one bit more.
  const side = planSubframe(combined.side, depth + 1)
  const options: Assignment[] = [
    { code: 1, subframes: [left, right] },
    { code: combinations.leftSide, subframes: [left, side] },
    { code: combinations.sideRight, subframes: [side, right] },
    { code: combinations.middleSide, subframes: [middle, side] },
  ]
  const bitsOf = ({ subframes }: Assignment) => subframes.reduce((sum, { bits }) => sum + bits, 0)
  return options.reduce((best, option) => (bitsOf(option) < bitsOf(best) ? option : best))
}

/** Creates a function that encodes one block after the other as frames. */
const createFrameEncoder = ({ sampleRate, channels }: StoredAudio) => {
  const writer = createBitWriter(blockFrames * channels * 4 + 64)
  let ordinal = 0
  return (block: Block): Uint8Array => {
    const length = blockLength(block)
    const { code, subframes } = assignmentOf(integersOf(block))
    writer.reset()
    writer.write(0xfff8, 16)
    writer.write(length === blockFrames ? blockCode : otherSizeCode, 4)
    writer.write(rateCodes[sampleRate] ?? 0, 4)
    writer.write(code, 4)
    writer.write(depthCode << 1, 4)
    for (const byte of codedNumber(ordinal++)) writer.write(byte, 8)
    if (length !== blockFrames) writer.write(length - 1, 16)
    writer.write(flacCrc8(writer.bytes()), 8)
    for (const subframe of subframes) subframe.write(writer)
    writer.write(flacCrc16(writer.bytes()), 16)
    return writer.bytes().slice()
  }
}

/** The digest of all samples, by which a player can verify what it decoded. */
const digestOf = async (audio: StoredAudio, signal?: AbortSignal): Promise<Uint8Array> => {
  const digest = createHash('md5')
  for await (const block of blocksOf(audio, signal)) digest.update(encodeSamples(block))
  return digest.digest()
}

/**
 * The bytes of a FLAC file of 24 bits (RFC 9639), bit-exact to the WAV file of the same piece. The piece is read twice, since the
 * digest of all samples precedes them; nothing but one block is in memory.
 */
export async function* flacBytes(audio: StoredAudio, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  yield streamHeader(audio, await digestOf(audio, signal))
  const encode = createFrameEncoder(audio)
  for await (const block of blocksOf(audio, signal)) {
    const frames: Uint8Array[] = []
    for (let at = 0; at < blockLength(block); at += blockFrames)
      frames.push(encode(sliceBlock(block, at, at + blockFrames)))
    yield Buffer.concat(frames)
  }
}
