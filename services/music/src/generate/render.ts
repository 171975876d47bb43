import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { type Block, blockLength, silentBlock, sliceBlock } from '../audio/pcm.ts'
import type { StoredAudio } from '../audio/stored-audio.ts'
import { alignJoin, clearAttack, fadeBeforeAttack } from './align.ts'
import { continueLoudness } from './continue-loudness.ts'
import { crossfade } from './crossfade.ts'
import { extrapolate } from './extrapolate.ts'
import { fadeFromPast } from './first-fade.ts'
import { FIRST_FADE } from './first-join.ts'
import type { Layer } from './layer-bars.ts'
import { createDrumLayering } from './layer-drums.ts'
import { matchLevel } from './match-level.ts'
import type { Plan, Run } from './plan.ts'
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
  /** Bars of the plan that get the drums of others. */
  readonly layers: readonly Layer[]
  /** Length of the result. */
  readonly frames: number
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
}

/** Parameters of joins, in seconds. */
const joins = {
  /** Crossfades end this much before a beat, so that its attack is intact. */
  beats: { guard: 0.01, fade: 0.03 },
  texture: { guard: 0, fade: 0.2 },
} as const

/** Length that the first join is extrapolated from, and over which loudness is compared (s). */
const PAST = 1

/** Plays one run into the result at `at`; returns where it ends. */
type PlayRun = (run: Run, index: number, at: number) => Promise<number>

const createPlayer = (request: RenderRequest, output: Block): PlayRun => {
  const { source, mono, attacks, grid, plan, layers, signal } = request
  const { sampleRate } = source
  const join = joins[grid.kind]
  const inFrames = (seconds: number) => Math.round(seconds * sampleRate)
  const toNative = (samples: number) => Math.round((samples * sampleRate) / analysisRate)
  const guard = join.guard * analysisRate
  const clear = clearAttack(attacks)
  const layerDrums = createDrumLayering(source, grid, join)
  // Where the source was left, in samples at ANALYSIS_RATE: at its end, before the first run.
  let left = mono.samples
  // The delay of the beats, and the position of the last exit relative to the pulse of the next beat, in the same samples.
  let [delay, exitOffset] = [0, 0]
  const isTimed = grid.kind === 'beats'

  return async (run, index, at) => {
    const isFirst = index === 0
    const isCut = !plan.isWhole && index === plan.runs.length - 1
    const entry = isFirst ? entryOf(grid, run.first, grid.endPhase) : (grid.steps[run.first]?.start ?? 0) - guard
    const entryOffset = isFirst ? 0 : entry - entryOf(grid, run.first, 0)
    const inTime = isTimed ? delay + exitOffset - entryOffset : 0
    const { shift, correlation } = await alignJoin({ mono, attacks, outgoing: left, incoming: entry, inTime })
    const from = Math.max(0, toNative(entry + shift))
    const end = (grid.steps[run.last]?.end ?? mono.samples) - guard
    const length = Math.max(0, Math.min(blockLength(output) - at, isCut ? source.frames - from : toNative(end) - from))
    const { start = 0, end: stepEnd = 0 } = grid.steps[run.first] ?? {}
    const fade = isFirst ? 0 : Math.min(inFrames(join.fade), at, from, toNative((stepEnd - start) / 2))
    const lead = Math.min(from, inFrames(PAST))
    const stretch = await source.read(from - lead, lead + length)
    const coming = sliceBlock(stretch, lead - fade, lead + length)
    const played = isFirst
      ? await source.read(source.frames - lead, lead)
      : sliceBlock(output, Math.max(0, at - lead), at)
    const before = sliceBlock(stretch, 0, lead)
    const own = layers.filter((layer) => layer.run === index)
    await layerDrums(coming, from - fade, own, signal)
    matchLevel({ played, before, coming, sampleRate, position: isFirst ? 'first' : 'inner' })
    if (isFirst) {
      const past = await source.read(source.frames - inFrames(PAST), inFrames(PAST))
      const seconds = fadeBeforeAttack(attacks, clear, entry + shift, FIRST_FADE[grid.kind])
      fadeFromPast(past, coming, { frames: inFrames(seconds), correlation })
    } else if (fade > 0) {
      crossfade(sliceBlock(output, at - fade, at), sliceBlock(coming, 0, fade), correlation)
    }
    for (const [channel, samples] of coming.entries()) output[channel]?.set(samples.subarray(fade), at)
    left = end
    delay = inTime - shift
    exitOffset = end - entryOf(grid, run.last, 1)
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
  const output = silentBlock(channels, frames)
  const play = createPlayer(request, output)
  let at = 0
  for (const [index, run] of plan.runs.entries()) {
    signal?.throwIfAborted()
    if (at >= frames) break
    at = await play(run, index, at)
    onProgress?.(at / frames)
  }
  if (!plan.isWhole && at < frames) throw new Error(`The plan covers only ${at} of ${frames} frames`)
  const result = plan.isWhole ? ringOut(sliceBlock(output, 0, at), frames, sampleRate) : output
  await continueLoudness(result, source)
  await limitToSource(result, source)
  return result
}
