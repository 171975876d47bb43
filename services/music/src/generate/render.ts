import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, silentBlock, sliceBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { clamp } from '../dsp/statistics.ts'
import { alignJoin, clearAttack, fadeBeforeAttack } from './align.ts'
import { crossfade } from './crossfade.ts'
import { extrapolate } from './extrapolate.ts'
import { fadeFromPast } from './first-fade.ts'
import { FIRST_FADE } from './first-join.ts'
import { fitLength } from './fit-length.ts'
import { mostStretch, type Plan, type Run } from './plan.ts'
import { limitToSource } from './source-peak.ts'
import { entryOf } from './start-costs.ts'
import type { StepGrid } from './steps.ts'

export type RenderRequest = {
  /** The source at its own rate. */
  readonly source: StoredAudio
  /** The same in mono at ANALYSIS_RATE, and its attacks. */
  readonly mono: MonoPiece
  readonly attacks: Float32Array
  readonly grid: StepGrid
  readonly plan: Plan
  /** Length of the result. */
  readonly frames: number
  /** Whether a whole plan ends the piece, so that it rings out instead of being stretched to its length. */
  readonly ends: boolean
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

/** Parameters of joins, in seconds. */
const joins = {
  /** Crossfades end this much before a beat, so that its attack is intact. */
  beats: { guard: 0.01, fade: 0.03 },
  texture: { guard: 0, fade: 0.2 },
} as const

/** Length that the first join is extrapolated from, and lengths over which loudness is compared at the first and other joins (s). */
const PAST = 1
const compared = { first: 0.3, inner: 1 }
const minCompared = 0.1
/**
 * Loudness is adjusted by only a few dB where stretches of the source meet. After a piece that has faded out, the music
 * enters as softly as the piece ended, so the first join may be lowered to silence.
 */
const largestGainDb = 5
const largestCutDb = { first: 60, inner: 5 }
/** Time in which the gain returns to none (s): slowly for small steps, quickly for an entry out of silence. */
const gainRecovery = { small: 4, large: 2 }

/** Length (s) over which a step of loudness is perceived, and the step that is left as it is (LU). */
const steppedSeconds = 3
const mostStepLu = 0.8
/** Loudness assumed for silence when levels are matched. */
const silentLufs = -80

const peakOf = (block: Block): number => {
  let peak = 0
  for (const channel of block) for (const value of channel) if (Math.abs(value) > peak) peak = Math.abs(value)
  return peak
}

/** Scales a stretch by a gain (dB) that returns to none over GAIN_RECOVERY. */
const applyGain = (block: Block, gainDb: number, sampleRate: number): void => {
  if (gainDb === 0) return
  const recovery = sampleRate * (Math.abs(gainDb) > 2 * largestGainDb ? gainRecovery.large : gainRecovery.small)
  for (const channel of block) {
    for (let i = 0; i < channel.length; i++) {
      const share = clamp(1 - i / recovery, 0, 1)
      if (share === 0) break
      channel[i] = (channel[i] ?? 0) * 10 ** ((gainDb * share) / 20)
    }
  }
}

type Join = {
  readonly played: Block
  /** The source before the incoming stretch, and that stretch. */
  readonly before: Block
  readonly coming: Block
  readonly sampleRate: number
  readonly position: 'first' | 'inner'
}

/** Step of loudness (LU) from the last seconds before a join to the first after it, if these begin with a gain that then recedes. */
const stepAfter = ({ played, coming, sampleRate }: Join, gainDb: number): number => {
  const length = Math.min(blockLength(played), blockLength(coming), Math.round(steppedSeconds * sampleRate))
  if (length < sampleRate) return 0
  const [last, first] = [
    loudnessOf(sliceBlock(played, blockLength(played) - length, blockLength(played)), sampleRate),
    loudnessOf(sliceBlock(coming, 0, length), sampleRate),
  ]
  // Over three seconds, about this share of a gain that recedes in four is left on average.
  return last === null || first === null ? 0 : first + 0.6 * gainDb - last
}

/** The gain (dB) that matches the loudness of the incoming stretch to what was played, measured before both sides of the join. */
const matchingGain = (join: Join): number => {
  const { played, before, coming, sampleRate, position } = join
  const length = Math.min(blockLength(played), blockLength(before), Math.round(compared[position] * sampleRate))
  if (length < minCompared * sampleRate) return 0
  const tail = (block: Block) => sliceBlock(block, blockLength(block) - length, blockLength(block))
  const [playedLufs, beforeLufs] = [loudnessOf(tail(played), sampleRate), loudnessOf(tail(before), sampleRate)]
  if (beforeLufs === null) return 0
  const matching = clamp((playedLufs ?? silentLufs) - beforeLufs, -largestCutDb[position], largestGainDb)
  const step = position === 'first' ? stepAfter(join, matching) : 0
  const evened = matching - Math.sign(step) * clamp(Math.abs(step) - mostStepLu, 0, largestGainDb) * 1.6
  const headroom = -20 * Math.log10(Math.max(1e-6, peakOf(coming)))
  return Math.min(evened, Math.max(0, headroom))
}

/** Plays one run into the result at `at`; returns where it ends. */
type PlayRun = (run: Run, index: number, at: number) => Promise<number>

const createPlayer = (request: RenderRequest, output: Block): PlayRun => {
  const { source, mono, attacks, grid, plan } = request
  const { sampleRate } = source
  const join = joins[grid.kind]
  const inFrames = (seconds: number) => Math.round(seconds * sampleRate)
  const toNative = (samples: number) => Math.round((samples * sampleRate) / analysisRate)
  const guard = join.guard * analysisRate
  const clear = clearAttack(attacks)
  // Where the source was left, in samples at ANALYSIS_RATE: at its end, before the first run.
  let left = mono.samples

  return async (run, index, at) => {
    const isFirst = index === 0
    const isCut = !plan.isWhole && index === plan.runs.length - 1
    const entry = isFirst ? entryOf(grid, run.first, grid.endPhase) : entryOf(grid, run.first, 0) - guard
    const { shift, correlation } = await alignJoin({ mono, attacks, outgoing: left, incoming: entry })
    const from = Math.max(0, toNative(entry + shift))
    const end = (grid.steps[run.last]?.end ?? mono.samples) - guard
    const length = Math.max(0, Math.min(blockLength(output) - at, isCut ? source.frames - from : toNative(end) - from))
    const { start = 0, end: stepEnd = 0 } = grid.steps[run.first] ?? {}
    const fade = isFirst ? 0 : Math.min(inFrames(join.fade), at, from, toNative((stepEnd - start) / 2))
    const lead = Math.min(from, inFrames(isFirst ? steppedSeconds : PAST))
    const stretch = await source.read(from - lead, lead + length)
    const coming = sliceBlock(stretch, lead - fade, lead + length)
    const played = isFirst
      ? await source.read(source.frames - lead, lead)
      : sliceBlock(output, Math.max(0, at - lead), at)
    const before = sliceBlock(stretch, 0, lead)
    const gain = matchingGain({ played, before, coming, sampleRate, position: isFirst ? 'first' : 'inner' })
    applyGain(coming, gain, sampleRate)
    if (isFirst) {
      const past = await source.read(source.frames - inFrames(PAST), inFrames(PAST))
      const seconds = fadeBeforeAttack(attacks, clear, entry + shift, FIRST_FADE[grid.kind])
      fadeFromPast(past, coming, { frames: inFrames(seconds), correlation })
    } else if (fade > 0) {
      crossfade(sliceBlock(output, at - fade, at), sliceBlock(coming, 0, fade), correlation)
    }
    for (const [channel, samples] of coming.entries()) output[channel]?.set(samples.subarray(fade), at)
    left = end
    return at + length
  }
}

/** How long (s) the last sounds of a piece that ends ring on, and at least fade. */
const ringSeconds = 1.2
const shortestRing = 0.4

/** Ends a piece before its length: its last sounds ring on, as linear prediction extends them, and fade out into silence. */
const ringOut = (block: Block, frames: number, sampleRate: number): Block => {
  const length = Math.min(blockLength(block), frames)
  const ring = Math.min(frames - length, Math.round(ringSeconds * sampleRate))
  // With no time left to ring, the last sounds themselves fade.
  const fade = Math.min(length + ring, Math.max(ring, Math.round(shortestRing * sampleRate)))
  const ended = silentBlock(block.length, frames)
  for (const [index, channel] of block.entries()) {
    const target = ended[index] ?? new Float32Array(frames)
    target.set(channel.subarray(0, length))
    target.set(extrapolate(channel.subarray(0, length), ring), length)
    const from = length + ring - fade
    for (let i = 0; i < fade; i++)
      target[from + i] = (target[from + i] ?? 0) * (0.5 + 0.5 * Math.cos((Math.PI * (i + 1)) / fade))
  }
  return ended
}

/** Renders a plan: exactly `frames` frames that continue from the source's last sample, not louder than the source at its peaks. */
export const renderPlan = async (request: RenderRequest): Promise<Block> => {
  const { source, plan, frames, signal, onProgress } = request
  const { sampleRate, channels } = source
  const room = plan.isWhole ? Math.ceil(frames * (1 + 2 * mostStretch)) + sampleRate : frames
  const output = silentBlock(channels, room)
  const play = createPlayer(request, output)
  let at = 0
  for (const [index, run] of plan.runs.entries()) {
    signal?.throwIfAborted()
    if (at >= room) break
    at = await play(run, index, at)
    onProgress?.(at / room)
  }
  if (!plan.isWhole && at < frames) throw new Error(`The plan covers only ${at} of ${frames} frames`)
  const finish = request.ends ? ringOut : fitLength
  const result = plan.isWhole ? finish(sliceBlock(output, 0, at), frames, sampleRate) : output
  await limitToSource(result, source)
  return result
}
