import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { createShortTimeFourier, frameSizeFor, framesToCover } from '../dsp/short-time-fourier.ts'
import { frameOf } from '../dsp/spectrogram.ts'
import { blindMasks, type Masks } from './blind-masks.ts'
import { createMaskedSynthesis } from './masked-synthesis.ts'
import { analysedBins, readStretch } from './read-stretch.ts'
import { spectraOf } from './segment-spectra.ts'
import { type Segment, segmentsOf } from './segments.ts'
import type { Estimates, SeparationOptions, Separator } from './separator.ts'

/** Longest segment, whose repetitions are compared with one another, and its overlap with the next, in seconds. */
const segmentSeconds = 45
const overlapSeconds = 1
/** Frames around a segment that its median filters also see, in seconds. */
const contextSeconds = 0.5
/** Share of the time of a segment that its masks take; the rest is synthesis. */
const masksShare = 0.8

/** Fades the masks of the segment before into the first frames of this one's. */
const fadeIn = (masks: Masks, before: Masks | undefined, { shared }: Segment): void => {
  if (!before) return
  for (const [index, mask] of masks.entries()) {
    const earlier = before[index]
    if (!earlier) continue
    for (let frame = 0; frame < shared; frame++) {
      const [own, other] = [frameOf(mask, frame), frameOf(earlier, earlier.frames - shared + frame)]
      const weight = (frame + 1) / (shared + 1)
      for (let bin = 0; bin < own.length; bin++) own[bin] = weight * (own[bin] ?? 0) + (1 - weight) * (other[bin] ?? 0)
    }
  }
}

/** The masks without the context around their segment. */
const cropped = (masks: Masks, skipped: number, frames: number): Masks => {
  const crop = ({ bins, values }: Masks[number]) => ({
    frames,
    bins,
    values: values.subarray(skipped * bins, (skipped + frames) * bins),
  })
  return [crop(masks[0]), crop(masks[1]), crop(masks[2])]
}

/**
 * Separates a piece without a model, segment by segment, in memory that does not depend on its length. The same samples yield
 * the same estimates.
 */
export const separateBlind: Separator = async function* (
  audio: StoredAudio,
  { signal, onProgress }: SeparationOptions,
): AsyncGenerator<Estimates> {
  const { sampleRate, channels, frames: samples } = audio
  const transform = createShortTimeFourier(frameSizeFor(sampleRate))
  const grid = { frameSeconds: transform.hop / sampleRate, binHertz: sampleRate / transform.size }
  const bins = analysedBins(transform, sampleRate)
  const frames = framesToCover(samples, transform.hop)
  const inFrames = (seconds: number) => Math.max(1, Math.round(seconds / grid.frameSeconds))
  const [overlap, context] = [inFrames(overlapSeconds), inFrames(contextSeconds)]
  const segments = segmentsOf(frames, inFrames(segmentSeconds), overlap)
  const synthesis = createMaskedSynthesis(transform, { channels, samples, stems: 3 })
  let before: Masks | undefined
  for (const [index, segment] of segments.entries()) {
    const reach = { from: Math.max(0, segment.from - context), to: Math.min(frames, segment.to + context) }
    const stretch = await readStretch(audio, transform, reach)
    const whole = await blindMasks(spectraOf(stretch, transform, { ...reach, bins }), grid, {
      signal,
      onProgress: (share) => onProgress((index + masksShare * share) / segments.length),
    })
    const masks = cropped(whole, segment.from - reach.from, segment.to - segment.from)
    fadeIn(masks, before, segment)
    before = masks
    // The frames that the next segment shares are synthesised with it.
    const end = segments[index + 1]?.from ?? frames
    const [vocals = [], drums = [], bass = []]: Block[] = synthesis.add(stretch, masks, { from: segment.from, to: end })
    yield { start: synthesis.startOf(segment.from), stems: [vocals, drums, bass] }
    onProgress((index + 1) / segments.length)
    signal.throwIfAborted()
  }
}
