import { generationCases, timeGeneration } from '../../services/music/bench/generation.ts'
import { round } from './machine.ts'

/** Measures the time to generate a continuation relative to its duration. */
export const benchMusic = async (): Promise<string[]> => {
  const lines = [
    'Recombination from a synthesised band at 44.1 kHz in stereo, in one process, analysis and seam figures included:',
  ]
  await timeGeneration(20, 5)
  for (const [sourceSeconds, audioSeconds] of generationCases) {
    const { generationSeconds, measuringSeconds, ratio } = await timeGeneration(sourceSeconds, audioSeconds)
    lines.push(
      `  ${String(audioSeconds).padStart(3)} s from ${String(sourceSeconds).padStart(3)} s  ${round(ratio, 3)} of the audio's own time (target: below 0.5)  generation ${round(generationSeconds, 2)} s, measuring ${round(measuringSeconds, 2)} s`,
    )
  }
  return lines
}
