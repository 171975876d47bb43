/** Polynomial remainders of FLAC: 8 bits for a frame's header, 16 for the whole frame. */
const remainder = (bytes: readonly number[], polynomial: number, bits: 8 | 16): number => {
  const top = 1 << (bits - 1)
  let value = 0
  for (const byte of bytes) {
    value ^= byte << (bits - 8)
    for (let bit = 0; bit < 8; bit++) value = value & top ? (value << 1) ^ polynomial : value << 1
    value &= (1 << bits) - 1
  }
  return value
}

/** A frame number in the coding of UTF-8, up to 0xffff. */
const codedNumber = (value: number): number[] => {
  if (value < 0x80) return [value]
  if (value < 0x800) return [0xc0 | (value >> 6), 0x80 | (value & 0x3f)]
  return [0xe0 | (value >> 12), 0x80 | ((value >> 6) & 0x3f), 0x80 | (value & 0x3f)]
}

const block = 32_768

/** What frame headers specify themselves. */
export type FrameHeaders = {
  readonly namesRate: boolean
  readonly namesDepth: boolean
}

/** A frame of 32,768 silent samples: a dozen bytes. */
const silentFrame = (number: number, { namesRate, namesDepth }: FrameHeaders): number[] => {
  // A block of 2^15 samples at 44,100 Hz; one channel of 16 bits. 0 inherits rate or depth from the stream header.
  const [rate, depth] = [namesRate ? 0x09 : 0, namesDepth ? 0x08 : 0]
  const header = [0xff, 0xf8, 0xf0 | rate, depth, ...codedNumber(number)]
  const frame = [...header, remainder(header, 0x07, 8), 0x00, 0x00, 0x00]
  const check = remainder(frame, 0x8005, 16)
  return [...frame, check >> 8, check & 0xff]
}

/** A FLAC file of `frames` × 32,768 silent samples at 44,100 Hz whose header declares no length. */
export const flacSilence = (
  frames: number,
  headers: FrameHeaders = { namesRate: true, namesDepth: true },
): Uint8Array => {
  const info = new DataView(new ArrayBuffer(34))
  info.setUint16(0, block)
  info.setUint16(2, block)
  // 20 bits of rate, 3 of channels - 1, 5 of bits - 1, 36 of samples (0: unknown).
  info.setUint32(10, (44_100 << 12) | (0 << 9) | (15 << 4))
  const body = Array.from({ length: frames }, (_, number) => silentFrame(number, headers)).flat()
  return Uint8Array.from([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34, ...new Uint8Array(info.buffer), ...body])
}
