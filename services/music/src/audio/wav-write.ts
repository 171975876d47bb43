import type { AudioShape } from './pcm.ts'
import { type Block, blockLength } from './pcm.ts'
import { encodeSamples, storedLayout as STORED } from './stored-audio.ts'

/** Lengths of a RIFF file have 32 bits. Larger files are RF64 (EBU Tech 3306), whose header is 36 bytes longer. */
const largestRiff = 0xffffffff - 64

const text = (view: DataView, offset: number, value: string): void => {
  for (let i = 0; i < value.length; i++) view.setUint8(offset + i, value.charCodeAt(i))
}

/** Size of the header for `frames` frames. */
const headerBytes = (shape: AudioShape, frames: number): number =>
  frames * shape.channels * STORED.bytes > largestRiff ? 80 : 44

/** The header of a 24-bit WAV file of `frames` frames: RIFF, or RF64 beyond 4 GiB. */
export const wavHeader = (shape: AudioShape, frames: number): Uint8Array => {
  const frameBytes = shape.channels * STORED.bytes
  const dataBytes = frames * frameBytes
  const header = new Uint8Array(headerBytes(shape, frames))
  const view = new DataView(header.buffer)
  const isLarge = header.length > 44
  const padding = dataBytes % 2
  text(view, 0, isLarge ? 'RF64' : 'RIFF')
  view.setUint32(4, isLarge ? 0xffffffff : header.length - 8 + dataBytes + padding, true)
  text(view, 8, 'WAVE')
  if (isLarge) {
    text(view, 12, 'ds64')
    view.setUint32(16, 28, true)
    view.setBigUint64(20, BigInt(header.length - 8 + dataBytes + padding), true)
    view.setBigUint64(28, BigInt(dataBytes), true)
    view.setBigUint64(36, BigInt(frames), true)
  }
  const at = isLarge ? 48 : 12
  text(view, at, 'fmt ')
  view.setUint32(at + 4, 16, true)
  view.setUint16(at + 8, 1, true)
  view.setUint16(at + 10, shape.channels, true)
  view.setUint32(at + 12, shape.sampleRate, true)
  view.setUint32(at + 16, shape.sampleRate * frameBytes, true)
  view.setUint16(at + 20, frameBytes, true)
  view.setUint16(at + 22, STORED.bytes * 8, true)
  text(view, at + 24, 'data')
  view.setUint32(at + 28, isLarge ? 0xffffffff : dataBytes, true)
  return header
}

/** Size of a whole WAV file. */
export const wavLength = (shape: AudioShape, frames: number): number => {
  const dataBytes = frames * shape.channels * STORED.bytes
  return headerBytes(shape, frames) + dataBytes + (dataBytes % 2)
}

/**
 * Bytes `start` to `end` (exclusive) of the WAV file of stored samples: the header is generated, and `readSamples` reads the
 * stored bytes. So any part of the file can be sent without the rest. The header comes with the first samples: if they are
 * missing, nothing is sent.
 */
export async function* wavRange(
  audio: AudioShape & { readonly frames: number },
  readSamples: (range: { start: number; end: number }) => AsyncIterable<Uint8Array>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  const header = wavHeader(audio, audio.frames)
  const dataEnd = header.length + audio.frames * audio.channels * STORED.bytes
  let before = header.subarray(start, end)
  const [from, to] = [Math.max(start, header.length), Math.min(end, dataEnd)]
  if (from < to) {
    for await (const samples of readSamples({ start: from - header.length, end: to - header.length })) {
      yield before.length === 0 ? samples : Buffer.concat([before, samples])
      before = new Uint8Array()
    }
  }
  if (before.length > 0) yield before
  if (end > dataEnd && start < end) yield new Uint8Array(end - Math.max(start, dataEnd))
}

/**
 * The bytes of a WAV file: header, samples, padding. `frames` must be known in advance, since a stream cannot return to its
 * header; passing blocks with more or fewer frames is a bug of the caller.
 */
export async function* wavBytes(
  shape: AudioShape,
  frames: number,
  blocks: AsyncIterable<Block> | Iterable<Block>,
): AsyncGenerator<Uint8Array> {
  yield wavHeader(shape, frames)
  let written = 0
  for await (const block of blocks) {
    written += blockLength(block)
    yield encodeSamples(block)
  }
  if (written !== frames) throw new Error(`A WAV file of ${frames} frames received ${written}`)
  if ((frames * shape.channels * STORED.bytes) % 2 === 1) yield new Uint8Array(1)
}
