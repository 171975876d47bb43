import { parseMp3Frame } from '../audio/mp3-frame.ts'

/** Samples that LAME inserts before the first sample: the delay of its filterbank and the rest of a frame. */
export const lameDelay = 576
/** Additional delay of a decoder in samples (the synthesis filterbank, plus one), which every gapless decoder knows. */
export const decoderDelay = 529

/** Properties of the stream that the header describes. */
export type StreamFacts = {
  /** Bytes of the first frame's header, whose version, rate and channels the header frame must share. */
  readonly firstFrame: Uint8Array
  /** Frames and bytes of the stream, without the header frame. */
  readonly frames: number
  readonly bytes: number
  /** Samples of the original. */
  readonly samples: number
  /** CRC-16 of the stream's bytes. */
  readonly streamCrc: number
  /** Constant bit rate: the header is then named Info instead of Xing. */
  readonly isConstant: boolean
  readonly kilobits: number
  /** Byte positions of 100 equal shares of the time, 0..255 of the whole. */
  readonly seekTable: readonly number[]
}

const crcTable = Uint16Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xa001 : value >>> 1
  return value
})

/** CRC-16 (polynomial 0x8005, reflected), as in LAME's tag; pass an earlier result as `start` to continue it. */
export const crc16 = (bytes: Uint8Array, start = 0): number => {
  let crc = start
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0)
  return crc
}

/** Bytes of the tag after the side information: Xing/Info with all four fields, and LAME's extension. */
const tagBytes = 120 + 36

/** The smallest silent frame that fits the tag and matches the stream, with its header set. */
const emptyFrame = (firstFrame: Uint8Array): Uint8Array => {
  for (let rate = 1; rate < 15; rate++) {
    const header = Uint8Array.from(firstFrame.subarray(0, 4))
    // No CRC after the header, this bit rate, no padding.
    header[1] = (header[1] ?? 0) | 1
    header[2] = (rate << 4) | ((header[2] ?? 0) & 0x0c)
    const frame = parseMp3Frame(header, 0)
    if (!frame || frame.length < 4 + frame.sideInformation + tagBytes) continue
    const bytes = new Uint8Array(frame.length)
    bytes.set(header)
    return bytes
  }
  throw new Error('No MP3 frame is long enough for a gapless header')
}

/**
 * The frame that makes an MP3 stream gapless: a silent frame with a Xing or Info header (frames, bytes, seek table) and LAME's
 * extension, which has the samples to drop at both ends and checksums. The layout follows the "Mp3 Info Tag rev 1"
 * description of LAME's tag.
 */
export const gaplessHeader = (facts: StreamFacts): Uint8Array => {
  const bytes = emptyFrame(facts.firstFrame)
  const view = new DataView(bytes.buffer)
  const frame = parseMp3Frame(bytes, 0)
  const at = 4 + (frame?.sideInformation ?? 32)
  const text = (offset: number, value: string) => bytes.set(Buffer.from(value, 'latin1'), offset)
  text(at, facts.isConstant ? 'Info' : 'Xing')
  view.setUint32(at + 4, 0x0f)
  view.setUint32(at + 8, facts.frames)
  view.setUint32(at + 12, facts.bytes + bytes.length)
  bytes.set(facts.seekTable.slice(0, 100), at + 16)
  view.setUint32(at + 116, facts.isConstant ? 100 : 78)
  const lame = at + 120
  text(lame, 'LAME3.100')
  bytes[lame + 9] = facts.isConstant ? 0x01 : 0x04
  // The low-pass in units of 100 Hz and the gains are unused and remain 0.
  bytes[lame + 20] = Math.min(255, facts.kilobits)
  const decoded = facts.frames * (frame?.samples ?? 1152)
  const padding = Math.max(0, Math.min(4095, decoded - facts.samples - lameDelay))
  bytes[lame + 21] = lameDelay >> 4
  bytes[lame + 22] = ((lameDelay & 15) << 4) | (padding >> 8)
  bytes[lame + 23] = padding & 0xff
  view.setUint32(lame + 28, facts.bytes + bytes.length)
  view.setUint16(lame + 32, facts.streamCrc)
  view.setUint16(lame + 34, crc16(bytes.subarray(0, lame + 34)))
  return bytes
}
