import { readFileSync } from 'node:fs'
import {
  type AnalysisFigures,
  type BeatFigures,
  benchScores,
  ensembleScores,
  judgeAll,
  judgeEnsembles,
  judgePlain,
  plainScores,
} from '../../services/music/bench/analysis.ts'
import { generationCases, timeGeneration } from '../../services/music/bench/generation.ts'
import { judgeHiddenHalves } from '../../services/music/bench/hidden-half.ts'
import { type Compared, judgeKnownLayers, judgeLayers } from '../../services/music/bench/layers.ts'
import { judgeRecombination, type RecombinationFigures, type Source } from '../../services/music/bench/recombination.ts'
import { judgeThirds } from '../../services/music/bench/recordings.ts'
import { blockLength, decodeAll } from '../../services/music/test/audio-files.ts'
import { playEnsemble } from '../../services/music/test/ensemble-pieces.ts'
import { arrangements } from '../../services/music/test/stem-pieces.ts'
import { formSeconds, type PieceScore, playPiece } from '../../services/music/test/synthetic-pieces.ts'
import { sharedData } from '../support/shared-data.ts'
import { round } from './machine.ts'

/** A seed that no weight was chosen with. */
const seed = 101
/** With a number above 1 only every so many of the synthesised pieces are judged, where little time is available. */
const thinning = Math.max(1, Math.floor(Number(process.env.BENCH_MUSIC_EVERY) || 1))

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const share = (values: readonly boolean[]): string => `${round(100 * mean(values.map(Number)))} %`
const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))] ?? Number.NaN
const spreadOf = (values: readonly number[], digits = 1): string =>
  `median ${round(at(values, 0.5), digits)}, 95 % below ${round(at(values, 0.95), digits)}, largest ${round(Math.max(...values), digits)}`

const beatsLine = (name: string, figures: readonly BeatFigures[]): string =>
  [
    `  ${name.padEnd(14)}${String(figures.length).padStart(3)} pieces`,
    `beats F ${round(mean(figures.map(({ beats }) => beats)), 3)}`,
    `downbeats F ${round(mean(figures.map(({ downbeats }) => downbeats)), 3)}`,
    `tempo right ${share(figures.map(({ isTempoExact }) => isTempoExact))} (or an octave off ${share(figures.map(({ isTempoRight }) => isTempoRight))})`,
    `metre ${share(figures.map(({ metre, score }) => metre === score.metre))}`,
  ].join('  ')

const analysisLine = (name: string, figures: readonly AnalysisFigures[]): string =>
  [
    beatsLine(name, figures),
    `key ${round(mean(figures.map(({ key }) => key)), 3)}`,
    `delay ${round(
      at(
        figures.map(({ lateMs }) => lateMs),
        0.5,
      ),
      1,
    )} ms`,
  ].join('  ')

const wrongLines = (figures: readonly BeatFigures[]): string[] =>
  figures
    .filter(({ beats, downbeats }) => beats < 0.9 || downbeats < 0.9)
    .map(
      ({ score, bpm, metre, beats, downbeats }) =>
        `    missed: ${score.metre} ${score.style} at ${score.bpm} bpm as ${metre} at ${bpm === null ? 'none' : round(bpm, 1)}, beats F ${round(beats, 2)}, downbeats F ${round(downbeats, 2)}`,
    )

/** Measures analyses of known pieces and of recordings. */
export async function* benchAnalysis(): AsyncGenerator<string[]> {
  yield ['Analysis of synthesised pieces, 60 to 200 bpm (mir_eval definitions; beats within 70 ms):']
  const steady = judgeAll(benchScores(seed, { stride: 2 * thinning }))
  for (const metre of ['4/4', '3/4', '6/8'] as const)
    yield [
      analysisLine(
        `steady ${metre}`,
        steady.filter(({ score }) => score.metre === metre),
      ),
    ]
  yield [analysisLine('steady', steady), ...wrongLines(steady)]
  for (const pace of ['drift', 'rubato'] as const) {
    const figures = judgeAll(benchScores(seed, { stride: 6 * thinning, pace }))
    yield [analysisLine(pace, figures)]
  }
  yield ['Pieces of a second generator, of other instruments, rhythms and ways of playing:']
  for (const pace of ['steady', 'rubato'] as const) {
    const figures = judgeEnsembles(ensembleScores(seed, { stride: (pace === 'steady' ? 2 : 6) * thinning, pace }))
    yield [beatsLine(pace, figures), ...(pace === 'steady' ? wrongLines(figures) : [])]
  }
  yield ['Pieces of a third generator, of metronomes and toy keyboards, whose first beats are often only louder:']
  const plain = judgePlain(plainScores(seed, { stride: 2 * thinning }))
  yield [beatsLine('steady', plain), ...wrongLines(plain)]
  yield [
    `  probability of a beat: ${round(mean(steady.flatMap(({ likelyRight }) => likelyRight)), 3)} where it is one, ${round(mean(steady.flatMap(({ likelyWrong }) => likelyWrong)), 3)} where it is not`,
    `  CPU time, one core: ${round(mean(steady.map(({ cpuShare }) => cpuShare)), 4)} of the audio's own time (target: 0.05)`,
  ]
  const long = judgeAll(benchScores(seed, { stride: 8 * thinning, seconds: 100 }))
  yield [
    `  section boundaries of ${long.length} pieces of 100 s: F ${round(mean(long.map(({ sections }) => sections[0])), 2)} within 0.5 s, ${round(mean(long.map(({ sections }) => sections[1])), 2)} within 3 s`,
  ]
  yield* benchRecordings()
}

const recordings = ['vibe-ace', 'brahms-hungarian-dance-5', 'solo-trumpet-90bpm'].flatMap((name) => {
  const path = sharedData('audio', `${name}.ogg`)
  return path === undefined ? [] : [{ name, path }]
})

const openRecording = async ({ name, path }: (typeof recordings)[number]): Promise<Source> => {
  const { block, sampleRate } = await decodeAll(readFileSync(path))
  return { name, block, sampleRate }
}

const sourceOf = (score: PieceScore): Source => ({
  name: `${score.metre} ${score.style} ${score.bpm}`,
  block: [playPiece(score).samples],
  sampleRate: 22_050,
})

const seamLines = (name: string, figures: readonly RecombinationFigures[]): string[] => {
  const beats = known(figures.map(({ beatErrorMs }) => beatErrorMs))
  return [
    `  ${name}: ${figures.length} continuations of 10 s`,
    `    seam percentile: ${spreadOf(known(figures.map(({ percentile }) => percentile)), 0)} (an ordinary position: 50; target: below 95)`,
    `    loudness step (LU): ${spreadOf(known(figures.map(({ loudnessStep }) => loudnessStep)))} (target: below 1.5)`,
    ...(beats.length > 0 ? [`    beat error (ms, ${beats.length} measurable): ${spreadOf(beats)} (target: 35)`] : []),
    `    longest copied run (bars): ${spreadOf(known(figures.map(({ longestCopyBars }) => longestCopyBars)))} (limit: 8)`,
    `    largest share repeated after a fixed number of beats: ${spreadOf(
      figures.map(({ selfSimilarity }) => selfSimilarity),
      2,
    )} (a loop: 1)`,
    `    difference of tempo (%): ${spreadOf(known(figures.map(({ tempoDrift }) => (tempoDrift === null ? null : 100 * Math.abs(tempoDrift)))), 2)}`,
    `    true peak (dB): largest ${round(Math.max(...figures.map(({ truePeakDb }) => truePeakDb)), 1)}`,
    `    CPU time, one core: ${round(mean(figures.map(({ totalShare }) => totalShare)), 3)} of the audio's own time, ${round(mean(figures.map(({ planShare }) => planShare)), 3)} without analysing the source`,
  ]
}

/** Measures continuations of known pieces and of recordings. */
export async function* benchRecombination(): AsyncGenerator<string[]> {
  yield ['Recombination:']
  const made: RecombinationFigures[] = []
  for (const [index, score] of benchScores(seed + 1, { stride: 4 * thinning, seconds: 36 }).entries())
    made.push(await judgeRecombination(sourceOf(score), { cut: 22 + ((index * 7.3) % 12), seconds: 10, seed: index }))
  yield seamLines('synthesised pieces', made)
  const real: RecombinationFigures[] = []
  for (const recording of recordings) {
    const source = await openRecording(recording)
    const length = (source.block[0]?.length ?? 0) / source.sampleRate
    for (const [index, cut] of [0.55, 0.75, 0.93].entries())
      real.push(await judgeRecombination(source, { cut: cut * length, seconds: 10, seed: index }))
  }
  if (real.length > 0) yield seamLines('recordings', real)
  yield* benchHiddenHalves()
  yield* benchLayers()
}

/** Length (s) of continuations that are compared with a hidden half. */
const hiddenSeconds = 12

async function* benchHiddenHalves(): AsyncGenerator<string[]> {
  // Of whole pieces, so that the first half has what the second one goes on with.
  const scores = benchScores(seed + 2, { stride: 4 * thinning }).map((score) => ({
    ...score,
    seconds: formSeconds(score),
  }))
  const sources = [...scores.map(sourceOf), ...(await Promise.all(recordings.map(openRecording)))]
  // The trumpet is shorter than what is compared.
  const halved = sources.filter(({ block, sampleRate }) => blockLength(block) / 2 >= hiddenSeconds * sampleRate)
  const figures = await judgeHiddenHalves(halved, hiddenSeconds)
  const missed = figures.flatMap(({ name, distances, nearestOther }) =>
    distances.filter((distance) => distance >= nearestOther).map((distance) => ({ name, distance, nearestOther })),
  )
  const all = figures.flatMap(({ distances }) => distances)
  yield [
    `  ${figures.length} pieces, of which the first half is continued by ${hiddenSeconds} s in ${all.length / figures.length} takes, and the second is hidden:`,
    `    distance from the hidden half ${spreadOf(all, 2)}; of excerpts of the first half ${spreadOf(
      figures.map(({ firstHalf }) => firstHalf),
      2,
    )}; of the nearest other piece ${spreadOf(
      figures.map(({ nearestOther }) => nearestOther),
      2,
    )}`,
    `    takes nearer than all other pieces ${all.length - missed.length} of ${all.length} (target: all)`,
    ...missed.map(
      ({ name, distance, nearestOther }) =>
        `    not nearest: a take of ${name}, at ${round(distance, 2)}; another piece is at ${round(nearestOther, 2)}`,
    ),
  ]
}

/** Styles of the second generator that have drums, and the tempi (bpm) at which they are judged. */
const drummed = { styles: ['disco', 'motown', 'boom bap', 'breakbeat', 'samba'], slowest: 85, fastest: 155 }

/** Measures takes of which some bars get the drums of others, and such bars alone in pieces of known parts. */
async function* benchLayers(): AsyncGenerator<string[]> {
  const scores = ensembleScores(seed + 3, { stride: 2 * thinning, seconds: 60 }).filter(
    ({ style, bpm }) => drummed.styles.includes(style) && bpm >= drummed.slowest && bpm <= drummed.fastest,
  )
  const figures = await judgeLayers(
    scores.map((score) => ({
      name: `${score.style} ${score.bpm}`,
      block: [playEnsemble(score).samples],
      sampleRate: 22_050,
    })),
    60,
  )
  const layered = figures.filter(({ layers }) => layers > 0)
  const both = (read: (one: (typeof figures)[number]) => Compared, digits = 2) =>
    [0, 1]
      .map((side) =>
        spreadOf(
          layered.map((one) => read(one)[side as 0 | 1]),
          digits,
        ),
      )
      .join('; with: ')
  yield [
    `  ${figures.length} continuations of 60 s from 30 s of pieces with drums, of which ${layered.length} have bars with the drums of others: ${round(mean(layered.map(({ layers, bars }) => (100 * layers) / bars)), 0)} % of their bars`,
    `    share of beats played again with the same drums, without layers: ${both(({ again }) => again)}`,
    `    longest passage as in the source (bars), without: ${both(({ copied }) => copied, 1)} (limit: 8)`,
    `    longest passage played again (bars), without: ${both(({ repeated }) => repeated, 1)}`,
    `    largest share of drums repeated after a fixed number of beats, without: ${both(({ loop }) => loop)}`,
    `    distance from the hidden half, without: ${both(({ distance }) => distance, 3)}; mean change ${round(mean(layered.map(({ distance }) => distance[1] - distance[0])), 3)}`,
    `    CPU time of rendering (s), without: ${both(({ seconds }) => seconds)}`,
  ]
  const known = (await Promise.all(arrangements.map(judgeKnownLayers))).flat()
  const means = (read: (one: (typeof known)[number]) => Compared, digits: number) =>
    [0, 1]
      .map((side) => round(mean(known.map((one) => read(one)[side as 0 | 1])), digits))
      .join('; with the other drums: ')
  yield [
    `  ${known.length} bars of pieces of known parts under the drums of another rhythm, compared with the true mixture:`,
    `    SDR (dB), as they were: ${means(({ sdr }) => sdr, 1)}`,
    `    attacks F, as they were: ${means(({ attacks }) => attacks, 2)}; ${round(mean(known.map(({ attackCount }) => attackCount)), 2)} times as many attacks as in the true mixture`,
  ]
}

async function* benchRecordings(): AsyncGenerator<string[]> {
  if (recordings.length > 0) yield ['Recordings, and each of their thirds on its own:']
  for (const recording of recordings) yield judgeThirds(await openRecording(recording))
}

/** Measures the time of continuations relative to their length. */
export async function* benchSpeed(): AsyncGenerator<string[]> {
  yield [
    'Time of recombination from a synthesised band at 44.1 kHz in stereo, in one process, analysis and seam figures included:',
  ]
  await timeGeneration(20, 5)
  for (const [sourceSeconds, audioSeconds] of generationCases) {
    const { generationSeconds, measuringSeconds, ratio } = await timeGeneration(sourceSeconds, audioSeconds)
    yield [
      `  ${String(audioSeconds).padStart(3)} s from ${String(sourceSeconds).padStart(3)} s  ${round(ratio, 3)} of the audio's own time (target: below 0.5)  generation ${round(generationSeconds, 2)} s, measuring ${round(measuringSeconds, 2)} s`,
    ]
  }
}
