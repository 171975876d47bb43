import { attacksOf, envelopeHop, envelopeLevels } from '../src/analysis/attack-envelope.ts'
import { analysisRate } from '../src/analysis/spectral-frames.ts'
import { audioInMemory } from '../src/audio/audio-path.ts'
import { type Block, blockLength, sliceBlock } from '../src/audio/pcm.ts'
import { meanOf } from '../src/dsp/statistics.ts'
import type { Layer } from '../src/generate/layer-bars.ts'
import { createDrumLayering } from '../src/generate/layer-drums.ts'
import type { Run } from '../src/generate/plan.ts'
import { layersOf, planTake, playTake, prepareMaterial } from '../src/generate/recombine.ts'
import { attackFMeasure } from '../test/beat-metrics.ts'
import { type Arrangement, playParts, sdr } from '../test/stem-pieces.ts'
import { createDistance, excerptsOf, type Portrait } from './hidden-half.ts'
import { repeatedShare, type Source, stepsOf } from './recombination.ts'

/** A figure of the same take without layers, and with them. */
export type Compared = readonly [without: number, withLayers: number]

/** What layers change in one take. */
export type LayerFigures = {
  readonly name: string
  readonly layers: number
  readonly bars: number
  /** Share of steps that were played before, with the same drums. */
  readonly again: Compared
  /** The longest passage that is as it is in the source, and the longest that is played again, in bars. */
  readonly copied: Compared
  readonly repeated: Compared
  /** The largest share of drums that are played again after a fixed number of steps. */
  readonly loop: Compared
  /** Mean distance of excerpts from the hidden second half. */
  readonly distance: Compared
  /** CPU time (s) of rendering. */
  readonly seconds: Compared
}

const drumsOf = (runs: readonly Run[], layers: readonly Layer[], size: number): number[] =>
  runs.flatMap(({ first, last }, run) =>
    stepsOf([{ first, last }]).map((step) => {
      const layer = layers.find((one) => one.run === run && step >= one.first && step < one.first + size)
      return layer ? layer.drums + step - layer.first : step
    }),
  )

const longest = (length: number, goesOn: (at: number) => boolean): number => {
  let [best, current] = [0, 0]
  for (let at = 0; at < length; at++) {
    current = goesOn(at) ? current + 1 : 0
    best = Math.max(best, current)
  }
  return best
}

const longestRepeat = (pairs: readonly string[]): number =>
  Math.max(0, ...pairs.map((_, lag) => (lag === 0 ? 0 : longest(pairs.length, (at) => pairs[at] === pairs[at - lag]))))

const compare = (runs: readonly Run[], layers: readonly Layer[], size: number) => {
  const [steps, drums] = [stepsOf(runs), drumsOf(runs, layers, size)]
  const pairs = steps.map((step, i) => `${step}/${drums[i]}`)
  return {
    again: 1 - new Set(pairs).size / pairs.length,
    // Of a step with other drums, nothing is as in the source.
    copied:
      (1 + longest(steps.length, (at) => drums[at] === steps[at] && steps[at - 1] === (steps[at] ?? 0) - 1)) / size,
    repeated: longestRepeat(pairs) / size,
    loop: repeatedShare(drums, 2),
  }
}

/** Seeds of the takes of each piece. */
const seeds = [0, 1]
const excerptSeconds = 10

/** Continues the first halves of pieces by `seconds`, with layers and without. */
export const judgeLayers = async (sources: readonly Source[], seconds: number): Promise<LayerFigures[]> => {
  type Measured = Omit<LayerFigures, 'distance'> & { hidden: Portrait[]; made: [Portrait[], Portrait[]] }
  const measured: Measured[] = []
  for (const { name, block, sampleRate } of sources) {
    const half = Math.floor(blockLength(block) / 2)
    const excerpts = (part: Block) => excerptsOf(part, sampleRate, excerptSeconds * sampleRate)
    const context = audioInMemory(sliceBlock(block, 0, half), sampleRate)
    const common = { context, frames: Math.round(seconds * sampleRate), prompt: 'varied' }
    const material = await prepareMaterial(common)
    const hidden = excerpts(sliceBlock(block, half, blockLength(block)))
    const { stepsPerBar: size } = material.grid
    for (const seed of seeds) {
      const request = { ...common, seed }
      const take = planTake(material, request)
      const layers = await layersOf(material, take, request)
      const timed = async (variety: number): Promise<[Portrait[], number]> => {
        const began = process.cpuUsage()
        const made = await playTake(material, { ...take, steering: { ...take.steering, variety } }, request)
        return [excerpts(made), process.cpuUsage(began).user / 1e6]
      }
      const [[plain, before], [layered, after]] = [await timed(0), await timed(1)]
      const [own, other] = [compare(take.plan.runs, [], size), compare(take.plan.runs, layers, size)]
      measured.push({
        ...{ name, layers: layers.length, bars: stepsOf(take.plan.runs).length / size },
        ...{ again: [own.again, other.again], copied: [own.copied, other.copied] },
        ...{ repeated: [own.repeated, other.repeated], loop: [own.loop, other.loop] },
        ...{ seconds: [before, after], hidden, made: [plain, layered] },
      })
    }
  }
  const distance = createDistance(measured.flatMap(({ hidden }) => hidden))
  return measured.map(({ hidden, made, ...figures }) => {
    const near = (portraits: readonly Portrait[]) =>
      meanOf(portraits.map((one) => Math.min(...hidden.map((excerpt) => distance(one, excerpt)))))
    return { ...figures, distance: [near(made[0]), near(made[1])] }
  })
}

/** How near bars with other drums are to the true mixture of both. */
export type KnownLayerFigures = {
  /** Ratio (dB) of the true mixture to what differs, of the bar as it was and with the other drums. */
  readonly sdr: Compared
  /** F-measure of its attacks, and their number as a share of the true one. */
  readonly attacks: Compared
  readonly attackCount: number
}

const rate = analysisRate
/** Rhythm of each bar in turn: the arrangement's own, or one of two others. */
const rhythms = [0, 0, 1, 0, 2]
const clearAttack = 0.25
const attackReach = 3
const attackSeconds = 0.025

const attackTimes = (samples: Float32Array): number[] => {
  const values = attacksOf(envelopeLevels(samples))
  const loudest = Math.max(...values)
  return [...values].flatMap((value, i) => {
    const around = values.subarray(Math.max(0, i - attackReach), i + attackReach + 1)
    return value > clearAttack * loudest && value === Math.max(...around) ? [(i * envelopeHop) / rate] : []
  })
}

/** Puts the drums of bars under bars of another rhythm, in a piece of known parts. */
export const judgeKnownLayers = async (arrangement: Arrangement): Promise<KnownLayerFigures[]> => {
  const play = (beat: Arrangement['beat']) =>
    playParts({ ...arrangement, beat, seconds: 30, sampleRate: rate, channels: 1 })
  const piece = play(arrangement.beat)
  const others = (['rock', 'four-floor', 'half-time'] as const).filter((beat) => beat !== arrangement.beat)
  const played = [piece, ...others.map(play)].map(({ parts }) => parts.drums[0] ?? new Float32Array())
  const bar = (4 * 60 * rate) / arrangement.bpm
  const rhythmOf = (index: number) => rhythms[index % rhythms.length] ?? 0
  const drums = Float32Array.from(played[0] ?? [], (_, i) => played[rhythmOf(Math.floor(i / bar))]?.[i] ?? 0)
  const rest = Float32Array.from(drums, (_, i) => (piece.mixture[0]?.[i] ?? 0) - (played[0]?.[i] ?? 0))
  const source = [rest.map((value, i) => value + (drums[i] ?? 0))]
  const bars = Math.floor(rest.length / bar) - 1
  const grid = { steps: Array.from({ length: 4 * bars + 1 }, (_, i) => ({ start: (i * bar) / 4 })), stepsPerBar: 4 }
  const layer = createDrumLayering(audioInMemory(source, rate), grid, { guard: 0, fade: 0.02 })
  const figures: KnownLayerFigures[] = []
  for (let own = 1; own + 2 < bars; own++) {
    const other = [own + 1, own + 2].find((index) => rhythmOf(index) !== rhythmOf(own))
    if (other === undefined) continue
    const [from, shift, length] = [Math.round(own * bar), Math.round((other - own) * bar), Math.floor(bar)]
    const before = source.map((channel) => channel.slice(from, from + length))
    const truth = [rest.slice(from, from + length).map((value, i) => value + (drums[from + i + shift] ?? 0))]
    const made = before.map((channel) => channel.slice())
    await layer(made, from, [{ run: 0, first: 4 * own, drums: 4 * other }])
    const attacksIn = ([samples = new Float32Array()]: Block) => attackTimes(samples)
    const [now, right] = [attacksIn(made), attacksIn(truth)]
    figures.push({
      sdr: [sdr(before, truth), sdr(made, truth)],
      attacks: [attackFMeasure(right, attacksIn(before), attackSeconds), attackFMeasure(right, now, attackSeconds)],
      attackCount: now.length / right.length,
    })
  }
  return figures
}
