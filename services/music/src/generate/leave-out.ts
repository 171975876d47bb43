import { audioInMemory } from '../audio/audio-path.ts'
import { type Block, joinBlocks } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { separateBlind } from '../stems/separate-blind.ts'
import { stemNames } from '../stems/stem-names.ts'
import type { LeftOut } from './steering.ts'

/** Length (s) of the end of the source that is separated, too, since what repeats is found by its repetition. */
const leadSeconds = 12

export type LeaveOutRequest = {
  /** What precedes the continuation. */
  readonly source: StoredAudio
  readonly stems: readonly LeftOut[]
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

/**
 * Removes stems from a continuation, as far as separation without a model finds them. A model is not used, since the bytes of a continuation
 * must not depend on whether one is installed.
 */
export const leaveOut = async (
  block: Block,
  { source, stems, onProgress = () => undefined, signal = new AbortController().signal }: LeaveOutRequest,
): Promise<Block> => {
  const lead = Math.min(source.frames, Math.round(leadSeconds * source.sampleRate))
  const before = await source.read(source.frames - lead, lead)
  const audio = audioInMemory(joinBlocks([before, block], block.length), source.sampleRate)
  const rest = block.map((channel) => Float32Array.from(channel))
  for await (const { start, stems: estimates } of separateBlind(audio, { signal, onProgress })) {
    const left = estimates.filter((_, index) => stems.some((name) => name === stemNames[index]))
    for (const estimate of left)
      for (const [index, channel] of estimate.entries()) subtract(rest[index], channel, start - lead)
  }
  return rest
}

/** Subtracts samples from others, at a position that may precede them. */
const subtract = (from: Float32Array | undefined, samples: Float32Array, at: number): void => {
  if (!from) return
  for (let i = Math.max(0, -at); i < samples.length && at + i < from.length; i++)
    from[at + i] = (from[at + i] ?? 0) - (samples[i] ?? 0)
}
