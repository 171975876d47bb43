/** Frames at 48 kHz of an Opus frame, by the configuration in the first byte of its packet (RFC 6716, table 2). */
const frameSizes: readonly number[] = [
  ...[480, 960, 1920, 2880, 480, 960, 1920, 2880, 480, 960, 1920, 2880],
  ...[480, 960, 480, 960],
  ...[120, 240, 480, 960, 120, 240, 480, 960, 120, 240, 480, 960, 120, 240, 480, 960],
]
/** A packet has at most 120 ms. */
const longestPacket = 5_760

/** Frames of an Opus packet, from its first two bytes (RFC 6716, 3.1 and 3.2.5). */
export const opusPacketFrames = (first: number, second: number): number => {
  const code = first & 3
  const count = code === 0 ? 1 : code === 3 ? second & 63 : 2
  return Math.min(longestPacket, count * (frameSizes[first >> 3] ?? 0))
}

/** The marker of the two header packets. */
const headerMarker = 'Opus'

/** Counts the frames that the packets of an Ogg stream hold. Pages are added in order; a packet counts where it begins. */
export const createOpusCounter = () => {
  let frames = 0
  return {
    page(segments: Uint8Array, data: Uint8Array, isContinued: boolean): void {
      let at = 0
      let isStart = !isContinued
      for (const length of segments) {
        const isHeader = Buffer.from(data.subarray(at, at + headerMarker.length)).toString('latin1') === headerMarker
        if (isStart && length > 0 && !isHeader) frames += opusPacketFrames(data[at] ?? 0, data[at + 1] ?? 0)
        at += length
        isStart = length < 255
      }
    },
    frames: () => frames,
  }
}
