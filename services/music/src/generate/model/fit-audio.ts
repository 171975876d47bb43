import { type Block, blockLength, monoOf, silentBlock, sliceBlock } from '../../audio/pcm.ts'
import { resample } from '../../audio/resample.ts'
import type { StoredAudio } from '../../audio/stored-audio.ts'
import { extrapolate } from '../extrapolate.ts'

/** Audio with another number of channels: their mean, or one channel repeated. */
export const inChannels = (block: Block, channels: number): Block => {
  if (block.length === channels) return block
  if (channels === 1) return [monoOf(block)]
  const [first = new Float32Array(0)] = block
  return Array.from({ length: channels }, (_, index) => block[index] ?? first)
}

/** Beyond each end (s), so that the filter of a resampler has something to work on. */
const marginSeconds = 0.02
/** Length from which a piece's end is extended (s). */
const learnedSeconds = 0.5

/** The last `frames` frames of a piece at another rate, so that the end of both is at the same time. */
export const tailAtRate = async (audio: StoredAudio, sampleRate: number, frames: number): Promise<Block> => {
  const { sampleRate: own } = audio
  const margin = Math.ceil(marginSeconds * own)
  const reach = Math.min(audio.frames, Math.ceil((frames * own) / sampleRate) + margin)
  const tail = await audio.read(audio.frames - reach, reach)
  if (own === sampleRate) return sliceBlock(tail, reach - frames, reach)
  const end = Math.round((reach * sampleRate) / own)
  return tail.map((channel) => {
    const extended = new Float32Array(reach + margin)
    extended.set(channel)
    extended.set(extrapolate(channel.subarray(Math.max(0, reach - Math.round(learnedSeconds * own))), margin), reach)
    const converted = resample(extended, own, sampleRate)
    const cut = new Float32Array(frames)
    cut.set(converted.subarray(Math.max(0, end - frames), end), Math.max(0, frames - end))
    return cut
  })
}

/** `frames` frames at another rate, from the sample `start` of a block on. What the block lacks is silent. */
export const stretchAtRate = (
  block: Block,
  rates: { readonly from: number; readonly to: number },
  { start, frames }: { readonly start: number; readonly frames: number },
): Block => {
  const { from, to } = rates
  const lead = Math.min(start, Math.ceil(marginSeconds * from))
  const end = Math.min(blockLength(block), start + Math.ceil((frames * from) / to) + lead + 1)
  const skipped = Math.round((lead * to) / from)
  return silentBlock(block.length, frames).map((out, index) => {
    const channel = block[index] ?? new Float32Array(0)
    const stretch = channel.slice(Math.max(0, start - lead), end)
    const converted = from === to ? stretch : resample(stretch, from, to)
    out.set(converted.subarray(skipped, skipped + frames))
    return out
  })
}
