import { silentBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { frameStart, type ShortTimeFourier } from '../dsp/short-time-fourier.ts'
import type { Stretch } from './segment-spectra.ts'

/** Masks are computed up to this frequency (Hz); above it, each frame continues the mean of the octave below. */
const analysedHertz = 16_000

/** Number of bins for which masks are computed. */
export const analysedBins = ({ size, bins }: ShortTimeFourier, sampleRate: number): number =>
  Math.min(bins, Math.ceil((analysedHertz * size) / sampleRate) + 1)

/** The samples that the frames `from` to `to` cover, with silence around the piece. */
export const readStretch = async (
  audio: StoredAudio,
  { size, hop }: ShortTimeFourier,
  { from, to }: { from: number; to: number },
): Promise<Stretch> => {
  const start = frameStart(from, hop)
  const end = frameStart(to - 1, hop) + size
  const first = Math.max(0, start)
  const samples = await audio.read(first, Math.max(0, Math.min(audio.frames, end) - first))
  const block = silentBlock(audio.channels, end - start)
  for (const [index, channel] of block.entries()) channel.set(samples[index] ?? [], first - start)
  return { start, block }
}
