/** The contents of an MPEG audio layer III frame header, which has four bytes (ISO/IEC 11172-3, 13818-3). */
export type Mp3Frame = {
  readonly version: 1 | 2 | 2.5
  readonly sampleRate: number
  readonly channels: 1 | 2
  readonly kilobits: number
  /** Bytes of the whole frame, including its header. */
  readonly length: number
  readonly samples: number
  /** Bytes of side information after the header; a Xing or Info header follows them. */
  readonly sideInformation: number
}

/** Parameters of a frame that do not depend on its bit rate. */
export type Mp3Header = Omit<Mp3Frame, 'kilobits' | 'length'> & {
  /** Ordinal of its bit rate; 0 for a free format, whose frames all have the length of the first. */
  readonly rate: number
  readonly padding: number
}

const kilobitsVersion1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kilobitsVersion2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const sampleRates = [44_100, 48_000, 32_000]
const versions = [2.5, undefined, 2, 1] as const

/** Parses what the header of a frame at `offset` has besides its bit rate; undefined if there is none. */
export const parseMp3Header = (bytes: Uint8Array, offset: number): Mp3Header | undefined => {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(offset, offset + 4)
  if (offset + 4 > bytes.length || first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  const version = versions[(second >> 3) & 3]
  const isLayer3 = ((second >> 1) & 3) === 1
  const baseRate = sampleRates[(third >> 2) & 3]
  const rate = third >> 4
  if (version === undefined || !isLayer3 || baseRate === undefined || rate === 15 || (fourth & 3) === 2)
    return undefined
  const sampleRate = version === 1 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4
  const samples = version === 1 ? 1152 : 576
  const channels = fourth >> 6 === 3 ? 1 : 2
  const sideInformation = version === 1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17
  return { version, sampleRate, channels, samples, sideInformation, rate, padding: (third >> 1) & 1 }
}

/** Parses the frame header at `offset`; undefined if there is none, and for a free format. */
export const parseMp3Frame = (bytes: Uint8Array, offset: number): Mp3Frame | undefined => {
  const header = parseMp3Header(bytes, offset)
  if (!header) return undefined
  const { version, sampleRate, channels, samples, sideInformation, rate, padding } = header
  const kilobits = (version === 1 ? kilobitsVersion1 : kilobitsVersion2)[rate]
  if (!kilobits) return undefined
  const length = Math.floor(((samples / 8) * kilobits * 1000) / sampleRate) + padding
  return { version, sampleRate, channels, kilobits, length, samples, sideInformation }
}

/** Whether two frames may belong to the same stream. */
export const areAlike = (a: Mp3Header | Mp3Frame, b: Mp3Header | Mp3Frame | undefined): boolean =>
  b !== undefined && a.version === b.version && a.sampleRate === b.sampleRate

/**
 * The first frame at or after `offset` that is followed by another frame of the same stream (or ends the bytes), and its
 * position. A single sync word is not enough, since any file may contain one.
 */
export const findMp3Frame = (bytes: Uint8Array, offset: number): { at: number; frame: Mp3Frame } | undefined => {
  for (let at = offset; at + 4 <= bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const frame = parseMp3Frame(bytes, at)
    if (!frame) continue
    const endsHere = at + frame.length === bytes.length
    if (endsHere || areAlike(frame, parseMp3Frame(bytes, at + frame.length))) return { at, frame }
  }
  return undefined
}

/** Bytes of the ID3v2 tag at the start of a file, including its header and footer; 0 without a tag. */
export const id3Length = (bytes: Uint8Array): number => {
  if (bytes.length < 10 || bytes[0] !== 0x49 || bytes[1] !== 0x44 || bytes[2] !== 0x33) return 0
  const [, , , , , flags = 0, a = 0, b = 0, c = 0, d = 0] = bytes
  if ((a | b | c | d) & 0x80) return 0
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d) + (flags & 0x10 ? 10 : 0)
}
