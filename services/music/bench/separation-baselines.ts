import { type Block, blockLength, silentBlock } from '../src/audio/pcm.ts'
import { harmonicPercussive } from '../src/dsp/harmonic-percussive.ts'
import { repeatingBackground } from '../src/dsp/repeating-background.ts'
import { createShortTimeFourier, frameSizeFor, frameStart, framesToCover } from '../src/dsp/short-time-fourier.ts'
import { emptySpectrogram, type Spectrogram } from '../src/dsp/spectrogram.ts'
import { createMaskedSynthesis } from '../src/stems/masked-synthesis.ts'
import { spectraOf } from '../src/stems/segment-spectra.ts'

/** Taps of the medians along time and frequency, as in librosa. */
const medianTaps = 31
/** As in REPET-SIM: similar frames, at least so far apart (s), and the frequency (Hz) below which no voice is. */
const repetition = { neighbours: 50, seconds: 1, lowestVoice: 100 }
/** Below this (Hz) everything is bass. */
const bassHertz = 160

/** A mask from the values of each bin of each frame. */
const maskOf = ({ frames, bins }: Spectrogram, value: (at: number, bin: number) => number): Spectrogram => {
  const mask = emptySpectrogram(frames, bins)
  for (let at = 0; at < mask.values.length; at++) mask.values[at] = value(at, at % bins)
  return mask
}

/**
 * Stems by published methods, each alone and with the parameters of its authors: a voice by what does not repeat (REPET-SIM, Rafii and Pardo
 * 2012), drums by medians (FitzGerald 2010), and the bass by a low-pass filter.
 */
export const separateByBaselines = async (
  mixture: Block,
  sampleRate: number,
): Promise<[vocals: Block, drums: Block, bass: Block]> => {
  const transform = createShortTimeFourier(frameSizeFor(sampleRate))
  const { size, hop, bins } = transform
  const samples = blockLength(mixture)
  const frames = framesToCover(samples, hop)
  const start = frameStart(0, hop)
  const block = silentBlock(mixture.length, frameStart(frames - 1, hop) + size - start)
  for (const [index, channel] of block.entries()) channel.set(mixture[index] ?? [], -start)
  const range = { from: 0, to: frames }
  const { magnitudes } = spectraOf({ start, block }, transform, { ...range, bins })
  const { harmonic, percussive } = harmonicPercussive(magnitudes, { timeTaps: medianTaps, frequencyTaps: medianTaps })
  const apart = Math.round((repetition.seconds * sampleRate) / hop)
  const similarity = { neighbours: repetition.neighbours, apart }
  const background = await repeatingBackground(magnitudes, similarity, async () => undefined)
  const hertz = sampleRate / size
  const at = ({ values }: Spectrogram, index: number) => values[index] ?? 0
  const vocals = maskOf(magnitudes, (i, bin) =>
    bin * hertz < repetition.lowestVoice ? 0 : 1 - at(background, i) / Math.max(1e-12, at(magnitudes, i)),
  )
  const drums = maskOf(
    magnitudes,
    (i) => at(percussive, i) ** 2 / Math.max(1e-20, at(percussive, i) ** 2 + at(harmonic, i) ** 2),
  )
  const bass = maskOf(magnitudes, (_, bin) => (bin * hertz < bassHertz ? 1 : 0))
  const synthesis = createMaskedSynthesis(transform, { channels: mixture.length, samples, stems: 3 })
  const [sung = [], hit = [], low = []] = synthesis.add({ start, block }, [vocals, drums, bass], range)
  return [sung, hit, low]
}
