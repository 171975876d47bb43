import type { MonoPiece } from '../analysis/mono-piece.ts'
import { ANALYSIS_RATE } from '../analysis/spectral-frames.ts'
import { loudnessOf } from '../audio/loudness.ts'
import { type Block, blockLength, silentBlock, sliceBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { clamp } from '../dsp/statistics.ts'
import { alignJoin, clearAttack, fadeBeforeAttack } from './align.ts'
import { crossfade } from './crossfade.ts'
import { extrapolate } from './extrapolate.ts'
import { FIRST_FADE } from './first-join.ts'
import type { Plan, Run } from './plan.ts'
import { entryOf } from './start-costs.ts'
import type { StepGrid } from './steps.ts'

export interface RenderRequest {
  /** The source at its own rate. */
  readonly source: StoredAudio
  /** The same, mono, at ANALYSIS_RATE, and where its attacks are. */
  readonly mono: MonoPiece
  readonly attacks: Float32Array
  readonly grid: StepGrid
  readonly plan: Plan
  /** Length of the result. */
  readonly frames: number
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

/** How joins are made, in seconds. */
const JOINS = {
  /** Crossfades end this much before a beat, so that its attack is whole. */
  beats: { guard: 0.01, fade: 0.03 },
  texture: { guard: 0, fade: 0.2 },
} as const

/** What the first join is extrapolated from, and what loudness is compared over at the first join and at others (s). */
const PAST = 1
const COMPARED = { first: 0.3, inner: 1 }
const MIN_COMPARED = 0.1
/**
 * Loudness is raised or lowered by a few dB at most where stretches of the source meet. After a piece that has died away
 * the music comes in as softly as that left off, so the first join may be lowered as far as silence.
 */
const LARGEST_GAIN_DB = 5
const LARGEST_CUT_DB = { first: 60, inner: 5 }
/** How long the gain takes to go back to none (s): small steps slowly, an entry out of silence at once. */
const GAIN_RECOVERY = { small: 4, large: 2 }

/** What silence counts as when loudness is matched. */
const SILENT_LUFS = -80

const peakOf = (block: Block): number => {
  let peak = 0
  for (const channel of block) for (const value of channel) if (Math.abs(value) > peak) peak = Math.abs(value)
  return peak
}

/** Scales a stretch by a gain (dB) that goes back to none over GAIN_RECOVERY. */
const applyGain = (block: Block, gainDb: number, sampleRate: number): void => {
  if (gainDb === 0) return
  const recovery = sampleRate * (Math.abs(gainDb) > 2 * LARGEST_GAIN_DB ? GAIN_RECOVERY.large : GAIN_RECOVERY.small)
  for (const channel of block) {
    for (let i = 0; i < channel.length; i++) {
      const share = clamp(1 - i / recovery, 0, 1)
      if (share === 0) break
      channel[i] = (channel[i] ?? 0) * 10 ** ((gainDb * share) / 20)
    }
  }
}

interface Join {
  readonly heard: Block
  /** What stands in the source before the stretch that comes, and that stretch. */
  readonly before: Block
  readonly coming: Block
  readonly sampleRate: number
  readonly place: 'first' | 'inner'
}

/** The gain (dB) that makes what comes sound as loud as what was heard, by the stretches before both sides of the join. */
const matchingGain = ({ heard, before, coming, sampleRate, place }: Join): number => {
  const length = Math.min(blockLength(heard), blockLength(before), Math.round(COMPARED[place] * sampleRate))
  if (length < MIN_COMPARED * sampleRate) return 0
  const tail = (block: Block) => sliceBlock(block, blockLength(block) - length, blockLength(block))
  const [heardLufs, beforeLufs] = [loudnessOf(tail(heard), sampleRate), loudnessOf(tail(before), sampleRate)]
  if (beforeLufs === null) return 0
  const requested = clamp((heardLufs ?? SILENT_LUFS) - beforeLufs, -LARGEST_CUT_DB[place], LARGEST_GAIN_DB)
  const headroom = -20 * Math.log10(Math.max(1e-6, peakOf(coming)))
  return Math.min(requested, Math.max(0, headroom))
}

/** Plays one run into the result at `at`; returns where it ends. */
type PlayRun = (run: Run, index: number, at: number) => Promise<number>

const createPlayer = (request: RenderRequest, output: Block): PlayRun => {
  const { source, mono, attacks, grid, plan, frames } = request
  const { sampleRate } = source
  const join = JOINS[grid.kind]
  const inFrames = (seconds: number) => Math.round(seconds * sampleRate)
  const toNative = (samples: number) => Math.round((samples * sampleRate) / ANALYSIS_RATE)
  const guard = join.guard * ANALYSIS_RATE
  const clear = clearAttack(attacks)
  // Where the source was left, in samples at ANALYSIS_RATE: at its end, before the first run.
  let left = mono.samples

  const firstFade = async (incoming: Block, seconds: number, correlation: number): Promise<void> => {
    const past = await source.read(source.frames - inFrames(PAST), inFrames(PAST))
    const length = Math.min(inFrames(seconds), blockLength(incoming))
    const goingOn = past.map((channel) => extrapolate(channel, length))
    crossfade(goingOn, sliceBlock(incoming, 0, length), correlation)
    for (const [index, channel] of goingOn.entries()) incoming[index]?.set(channel)
  }

  return async (run, index, at) => {
    const isFirst = index === 0
    const isLast = index === plan.runs.length - 1
    const entry = isFirst ? entryOf(grid, run.first, grid.endPhase) : entryOf(grid, run.first, 0) - guard
    const { shift, correlation } = await alignJoin({ mono, attacks, outgoing: left, incoming: entry })
    const from = Math.max(0, toNative(entry + shift))
    const end = (grid.steps[run.last]?.end ?? mono.samples) - guard
    const length = Math.max(0, Math.min(frames - at, isLast ? source.frames - from : toNative(end) - from))
    const fade = isFirst ? 0 : Math.min(inFrames(join.fade), at, from, toNative((grid.steps[run.first]?.end ?? 0) / 2))
    const lead = Math.min(from, inFrames(PAST))
    const stretch = await source.read(from - lead, lead + length)
    const coming = sliceBlock(stretch, lead - fade, lead + length)
    const heard = isFirst
      ? await source.read(source.frames - lead, lead)
      : sliceBlock(output, Math.max(0, at - lead), at)
    const before = sliceBlock(stretch, 0, lead)
    const gain = matchingGain({ heard, before, coming, sampleRate, place: isFirst ? 'first' : 'inner' })
    applyGain(coming, gain, sampleRate)
    if (isFirst)
      await firstFade(coming, fadeBeforeAttack(attacks, clear, entry + shift, FIRST_FADE[grid.kind]), correlation)
    else if (fade > 0) {
      crossfade(sliceBlock(output, at - fade, at), sliceBlock(coming, 0, fade), correlation)
    }
    for (const [channel, samples] of coming.entries()) output[channel]?.set(samples.subarray(fade), at)
    left = end
    return at + length
  }
}

/** Plays a plan: exactly `frames` frames that go on from the source's last sample. */
export const renderPlan = async (request: RenderRequest): Promise<Block> => {
  const { source, plan, frames, signal, onProgress } = request
  const output = silentBlock(source.channels, frames)
  const play = createPlayer(request, output)
  let at = 0
  for (const [index, run] of plan.runs.entries()) {
    signal?.throwIfAborted()
    if (at >= frames) break
    at = await play(run, index, at)
    onProgress?.(at / frames)
  }
  if (at < frames) throw new Error(`The plan gave ${at} frames of ${frames}`)
  return output
}
