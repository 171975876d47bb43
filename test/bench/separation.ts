import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { measureSeparation, type SeparationQuality } from '../../services/music/bench/separation.ts'
import { round } from './machine.ts'

/** Lengths of separated pieces (s): one to compare with others, and the longest by default. */
const separatedSeconds = [60, 1_200]
const stemNames = ['vocals', 'drums', 'bass', 'other']

/** What is compared. The published methods are REPET-SIM (vocals), medians (drums) and a low-pass filter (bass), each alone. */
const methods = [
  ['published', 'published'],
  ['stems', 'ours'],
] as const
const ratios = [
  ['siSdr', 'SI-SDR'],
  ['sdr', 'SDR'],
] as const

const generators = [
  ['arrangements', 'six synthesised pieces of 12 s'],
  ['mixes', '18 studio mixes of 20 s'],
] as const

const signed = (text: string): string => (text.startsWith('-') ? text : `+${text}`)

const separateAlone = async (seconds: number): Promise<Record<'elapsed' | 'processor' | 'peakMegabytes', number>> => {
  const module = fileURLToPath(new URL('../../services/music/bench/separate-alone.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [module, String(seconds)])
  return JSON.parse(stdout)
}

const qualityLines = (quality: SeparationQuality, channels: 1 | 2): string[] =>
  ratios.flatMap(([ratio, name]) =>
    methods.map(([method, words]) => {
      const shown = stemNames.map((stem, index) => {
        const [value, before] = [quality[method][ratio][index], quality.mixture[ratio][index]]
        return `${stem} ${value == null ? '-' : `${round(value, 1)} (${signed(round(value - (before ?? 0), 1))})`}`
      })
      return `  ${channels === 2 ? 'stereo' : 'mono'}  ${name.padEnd(6)}  ${words.padEnd(9)}  ${shown.join('  ')}`
    }),
  )

/** Measures time and memory of separations, and their quality on pieces with known stems. */
export async function* benchSeparation(): AsyncGenerator<string[]> {
  yield ['Separation into stems without a model, 44.1 kHz in stereo, in one process of its own:']
  for (const seconds of separatedSeconds) {
    const { elapsed, processor, peakMegabytes } = await separateAlone(seconds)
    yield [
      `  ${String(seconds).padStart(4)} s  ${round(elapsed, 2)} of the audio's own time (target: at most 1.0), ${round(processor, 2)} of processor time  peak memory ${round(peakMegabytes)} MiB`,
    ]
  }
  for (const [generator, title] of generators) {
    yield [`On ${title}, means in dB (gain over the mixture as the estimate):`]
    for (const channels of [2, 1] as const) yield qualityLines(await measureSeparation(generator, channels), channels)
  }
}
