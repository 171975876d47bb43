import { createLoudnessMeter, loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, sliceBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { clamp } from '../dsp/statistics.ts'
import { steppedSeconds } from './plan-costs.ts'

/** A step of loudness that is left as it is (LU): pieces have larger ones between their own bars. */
const maxStepLu = 0.5
/** Largest correction (dB): of a soft passage that is raised much more, mainly the noise would be audible. */
const usualGainDb = 9
const maxCutDb = 60
/**
 * Time in which the correction begins (s), since the moment of the join itself is matched separately. The longer it is, the
 * more the rest of the first seconds must be changed.
 */
const onset = 0.5
/** Time in which it returns to none: at least so long (s), and not faster than this (dB/s) if there is time. */
const minReturnSeconds = 4
const slowReturn = 1.5
/** So fast, if the continuation is short. */
const fastReturn = 6
/** Halvings in which the correction is found: to 0.001 dB. */
const halvings = 16

/** Share (0..1) of the correction at a time: rising, held while a step is perceived, and returning. */
const shareAt = (seconds: number, returnSeconds: number): number => {
  if (seconds < onset) return seconds / onset
  return clamp(1 - (seconds - steppedSeconds) / returnSeconds, 0, 1)
}

/** The correction (dB, at most `maxGainDb`) by which the powers of consecutive 100 ms have the mean power `target`. */
const correctionTo = (target: number, powers: readonly number[], maxGainDb: number): number => {
  const corrected = (gainDb: number) =>
    powers.reduce((sum, power, i) => sum + power * 10 ** ((gainDb * shareAt((i + 0.5) / 10, Number.MAX_VALUE)) / 10), 0)
  let [low, high] = [-maxCutDb, maxGainDb]
  for (let i = 0; i < halvings; i++) {
    const middle = (low + high) / 2
    if (corrected(middle) < target * powers.length) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * Continues the loudness of a source: the first seconds of a continuation get the loudness of its last ones, then gradually
 * their own. Where one ends softly and the other begins loudly this is a crescendo rather than a step. They are raised by at most
 * `maxGainDb` (dB).
 */
export const continueLoudness = async (
  result: Block,
  source: StoredAudio,
  maxGainDb: number = usualGainDb,
): Promise<void> => {
  const { sampleRate, channels, frames } = source
  const length = blockLength(result)
  const compared = Math.min(length, frames, Math.round(steppedSeconds * sampleRate))
  const last = loudnessOf(await source.read(frames - compared, compared), sampleRate)
  const first = loudnessOf(sliceBlock(result, 0, compared), sampleRate)
  if (last === null || first === null || Math.abs(first - last) <= maxStepLu) return
  const meter = createLoudnessMeter({ sampleRate, channels })
  meter.push(sliceBlock(result, 0, compared))
  const powers = meter.steps()
  const power = powers.reduce((sum, value) => sum + value, 0) / Math.max(1, powers.length)
  const target = power * 10 ** ((last - first + Math.sign(first - last) * maxStepLu) / 10)
  const gainDb = correctionTo(target, powers, maxGainDb)
  const left = Math.max(0, length / sampleRate - steppedSeconds)
  const slow = Math.max(minReturnSeconds, Math.abs(gainDb) / slowReturn)
  const returnSeconds = Math.max(Math.min(slow, left), Math.abs(gainDb) / fastReturn)
  for (let i = 0; i < Math.min(length, (steppedSeconds + returnSeconds) * sampleRate); i++) {
    const gain = 10 ** ((gainDb * shareAt(i / sampleRate, returnSeconds)) / 20)
    for (const channel of result) channel[i] = (channel[i] ?? 0) * gain
  }
}
