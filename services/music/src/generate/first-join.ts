import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate, computeSpectralFrames, HOP, type SpectralFrames } from '../analysis/spectral-frames.ts'
import { alignJoin, clearAttack, fadeBeforeAttack } from './align.ts'
import { crossfade } from './crossfade.ts'
import { extrapolate } from './extrapolate.ts'
import { comparedSeconds, matchLevel } from './match-level.ts'
import { ordinaryStrangeness, passageAt, passageReach, passagesOf } from './passages.ts'
import { entryOf } from './start-costs.ts'
import type { StepGrid } from './steps.ts'

/** The longest first fade, over which the source's end is extrapolated (s). */
export const FIRST_FADE = { beats: 0.04, texture: 0.06 } as const
/** Number of entries that are tried, the most promising ones. */
const TRIED = 32
/** Half the length of a trial (frames): a passage, and margin for its spectra. */
const trialFrames = passageReach + 4
/** What is compared before both sides when levels are matched (samples). */
const playedBefore = Math.round(comparedSeconds.first * analysisRate)
/** Strangeness assumed at least for an entry that was not tried. */
const untried = 2.5

export type TrialRequest = {
  readonly mono: MonoPiece
  readonly attacks: Float32Array
  readonly spectral: SpectralFrames
  readonly grid: StepGrid
}

/**
 * Tries how the very first join would sound, for the entries with the lowest costs so far: each is rendered in mono and compared
 * with all passages of the source. 1 is as strange as an ordinary passage of the music; undefined if the source is too short
 * to judge.
 */
export const tryFirstJoins = async (request: TrialRequest, costs: readonly number[]): Promise<number[] | undefined> => {
  const { mono, attacks, spectral, grid } = request
  const passages = passagesOf(spectral)
  const half = trialFrames * HOP
  if (!passages || mono.samples < 2 * half) return undefined
  const unit = ordinaryStrangeness(passages)
  const extrapolated = extrapolate(
    await mono.read(mono.samples - analysisRate, mono.samples),
    Math.round(FIRST_FADE[grid.kind] * analysisRate),
  )
  const clear = clearAttack(attacks)
  const trial = new Float32Array(2 * half)
  trial.set(await mono.read(mono.samples - half, mono.samples))
  const played = [await mono.read(mono.samples - playedBefore, mono.samples)]
  const sounds = async (step: number): Promise<number> => {
    const incoming = entryOf(grid, step, grid.endPhase)
    const { shift, correlation } = await alignJoin({ mono, attacks, outgoing: mono.samples, incoming })
    const from = Math.round(incoming + shift)
    if (from < 0 || from + half > mono.samples) return untried
    // A copy, since a piece in memory returns its own samples.
    const coming = (await mono.read(from, from + half)).slice()
    const before = await mono.read(from - playedBefore, from)
    matchLevel({ played, before: [before], coming: [coming], sampleRate: analysisRate, position: 'first' })
    trial.set(coming, half)
    const seconds = fadeBeforeAttack(attacks, clear, from, FIRST_FADE[grid.kind])
    const fade = extrapolated.slice(0, Math.round(seconds * analysisRate))
    crossfade([fade], [coming.subarray(0, fade.length)], correlation)
    trial.set(fade, half)
    const passage = passageAt(computeSpectralFrames(trial), trialFrames, spectral.floor)
    return passage ? Math.sqrt(passages.strangeness(passage)) / unit : untried
  }
  const order = costs.map((cost, step) => ({ cost, step })).sort((a, b) => a.cost - b.cost)
  const tried = new Map<number, number>()
  for (const { step } of order.slice(0, TRIED)) tried.set(step, await sounds(step))
  // Where ordinary passages are all but equal, as in loops, even the best entries sound strange; others are assumed to be no better.
  const unknown = Math.max(untried, ...tried.values())
  return costs.map((_, step) => tried.get(step) ?? unknown)
}
