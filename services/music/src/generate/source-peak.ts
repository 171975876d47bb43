import { limitTruePeak } from '../audio/limiter.ts'
import type { Block } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { createTruePeakMeter } from '../audio/true-peak.ts'
import { clamp } from '../dsp/statistics.ts'

/** Level (linear) that a continuation must not exceed: the source's own true peak, within these bounds. */
const ceilings = { lowest: 10 ** (-1 / 20), highest: 1 } as const
/** Length (s) of the source's end from which its true peak is taken. */
const peakSeconds = 20

const truePeakOf = (block: Block, sampleRate: number): number => {
  const meter = createTruePeakMeter(sampleRate, block.length)
  meter.push(block)
  return meter.finish()
}

/** Limits a continuation to the peaks of its source. */
export const limitToSource = async (result: Block, source: StoredAudio): Promise<void> => {
  const { sampleRate, frames } = source
  const reach = Math.min(frames, peakSeconds * sampleRate)
  const peak = truePeakOf(await source.read(frames - reach, reach), sampleRate)
  limitTruePeak(result, sampleRate, clamp(peak, ceilings.lowest, ceilings.highest))
}
