import { AudioRefused, invalidAudio } from '../refusal.ts'
import { type FlacFrame, readFrame } from './frame.ts'
import { parseStreamInfo, type StreamInfo, streamInfoBytes } from './stream-info.ts'
import { NoFrame } from './subframe.ts'

const marker = 'fLaC'
const metadataHeader = 4
const lastMetadata = 0x80
const streamInfoType = 0
/** Bytes beyond which a frame cannot extend: eight channels of 65,536 samples of 32 bits, as they are. */
const longestFrame = 8 * 65_536 * 4 + 4_096

/** A decoder of a FLAC stream (RFC 9639) that is fed piece by piece. */
export type FlacDecoder = {
  /** The frames that these bytes complete. */
  push(bytes: Uint8Array): FlacFrame[]
  /** The frames that are found after an incomplete one. */
  end(): FlacFrame[]
}

/** Where a frame may begin: the first sync code, or the last byte, which may be the beginning of one. */
const nextSync = (bytes: Uint8Array): number => {
  let at = 0
  while (
    at < bytes.length &&
    !(bytes[at] === 0xff && (at + 1 === bytes.length || ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8))
  )
    at += 1
  return at
}

type Attempt = { readonly kind: 'frame'; readonly frame: FlacFrame } | { readonly kind: 'none' | 'incomplete' }

const tryFrame = (bytes: Uint8Array, info: StreamInfo): Attempt => {
  try {
    return { kind: 'frame', frame: readFrame(bytes, info) }
  } catch (error) {
    if (error instanceof NoFrame) return { kind: 'none' }
    if (error instanceof AudioRefused) return { kind: bytes.length > longestFrame ? 'none' : 'incomplete' }
    throw error
  }
}

/** Creates a decoder. What is damaged, and what follows the last frame, is left out. Throws AudioRefused without a stream header. */
export const createFlacDecoder = (): FlacDecoder => {
  let held: Uint8Array = new Uint8Array(0)
  let skipping = 0
  let info: StreamInfo | undefined
  let isInFrames = false

  const drop = (count: number): void => {
    held = held.subarray(count)
  }

  /** Reads the metadata as far as it is there: of its blocks only the first is needed. */
  const readMetadata = (): void => {
    if (info === undefined) {
      const length = marker.length + metadataHeader + streamInfoBytes
      if (held.length < length) return
      const type = (held[marker.length] ?? 0) & ~lastMetadata
      if (Buffer.from(held.subarray(0, marker.length)).toString('latin1') !== marker || type !== streamInfoType)
        throw invalidAudio('The FLAC stream does not begin with its header.')
      info = parseStreamInfo(held.subarray(length - streamInfoBytes, length))
      drop(marker.length)
    }
    while (!isInFrames && skipping === 0 && held.length >= metadataHeader) {
      isInFrames = ((held[0] ?? 0) & lastMetadata) !== 0
      skipping = metadataHeader + ((held[1] ?? 0) << 16) + ((held[2] ?? 0) << 8) + (held[3] ?? 0)
      skip()
    }
  }
  const skip = (): void => {
    const skipped = Math.min(skipping, held.length)
    skipping -= skipped
    drop(skipped)
  }

  const readFrames = (stream: StreamInfo, isEnd: boolean): FlacFrame[] => {
    const frames: FlacFrame[] = []
    for (;;) {
      drop(nextSync(held))
      if (held.length < 2) return frames
      const attempt = tryFrame(held, stream)
      if (attempt.kind === 'incomplete' && !isEnd) return frames
      if (attempt.kind === 'frame') frames.push(attempt.frame)
      drop(attempt.kind === 'frame' ? attempt.frame.bytes : 1)
    }
  }

  return {
    push(bytes) {
      held = Buffer.concat([held, bytes])
      skip()
      if (!isInFrames) readMetadata()
      return isInFrames && skipping === 0 && info ? readFrames(info, false) : []
    },
    end: () => (isInFrames && skipping === 0 && info ? readFrames(info, true) : []),
  }
}
