import { envelopeHop } from '../analysis/attack-envelope.ts'
import type { MonoPiece } from '../analysis/mono-piece.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import { clamp } from '../dsp/statistics.ts'

/** A position in a signal. */
export type Position = {
  readonly values: Float32Array
  readonly at: number
}

/** Cosine similarity of the stretches at two positions, -1..1; 0 if either is silent. */
export const similarity = (a: Position, b: Position, length: number): number => {
  let [product, squaresA, squaresB] = [0, 0, 0]
  const { values: left, at: leftAt } = a
  const { values: right, at: rightAt } = b
  for (let i = 0; i < length; i++) {
    const x = left[leftAt + i] ?? 0
    const y = right[rightAt + i] ?? 0
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  const scale = Math.sqrt(squaresA * squaresB)
  return scale > 1e-12 ? product / scale : 0
}

/** How much more similar a lag must be than the preferred one if it is `reach` away from it. */
const unwantedLag = 0.1

type LagSearch = {
  readonly length: number
  /** Lags from -reach to reach are tried. */
  readonly reach: number
  /** Of similar lags the one nearest to this is chosen. */
  readonly preferred: number
}

/** The lag at which `b + lag` is most similar to `a`. */
const bestLag = (a: Position, b: Position, { length, reach, preferred }: LagSearch): { lag: number; score: number } => {
  let [best, score, bestWeighted] = [0, 0, Number.NEGATIVE_INFINITY]
  for (let lag = -reach; lag <= reach; lag++) {
    const found = similarity(a, { values: b.values, at: b.at + lag }, length)
    const weighted = found - (unwantedLag * Math.abs(lag - preferred)) / Math.max(1, reach)
    if (weighted <= bestWeighted) continue
    bestWeighted = weighted
    best = lag
    score = found
  }
  return { lag: best, score }
}

export type Alignment = {
  /** Samples at ANALYSIS_RATE by which the incoming position should move. */
  readonly shift: number
  /** Correlation of the two sides there, 0..1, which determines their sum in a crossfade. */
  readonly correlation: number
}

/** Maximum shift for aligning attacks, and then for aligning waveforms, in seconds. */
const attackReach = 0.02
const waveReach = 0.008
/** Attacks are compared over this much before and after the join, waveforms over this much before it. */
const attackBefore = 0.6
const attackAfter = 0.15
const waveBefore = 0.05
/** Below this similarity attacks do not determine time, and waveforms do not determine phase. */
const minAttackAgreement = 0.35
const minWaveAgreement = 0.4

export type AlignRequest = {
  readonly mono: MonoPiece
  readonly attacks: Float32Array
  /** Where the outgoing stretch ends and where the incoming one would begin, in samples at ANALYSIS_RATE. */
  readonly outgoing: number
  readonly incoming: number
  /** The shift that keeps the pulse (samples at ANALYSIS_RATE); 0 by default. */
  readonly inTime?: number
}

/** Aligns two positions of a signal: first by their attacks, which carry the beat, then by their waveform. */
export const alignJoin = async ({
  mono,
  attacks,
  outgoing,
  incoming,
  inTime = 0,
}: AlignRequest): Promise<Alignment> => {
  const inEnvelope = (seconds: number) => Math.round((seconds * analysisRate) / envelopeHop)
  const [a, b] = [Math.round(outgoing / envelopeHop), Math.round(incoming / envelopeHop)]
  const before = Math.min(inEnvelope(attackBefore), a, b)
  // The outgoing side may be the end of the source, with nothing after it.
  const after = Math.max(0, Math.min(inEnvelope(attackAfter), attacks.length - a, attacks.length - b))
  const attackAt = (at: number) => ({ values: attacks, at: at - before })
  const farthest = attackReach * analysisRate
  const desired = Math.round(clamp(inTime, -farthest, farthest))
  const coarse = bestLag(attackAt(a), attackAt(b), {
    ...{ length: before + after, reach: inEnvelope(attackReach) },
    preferred: desired / envelopeHop,
  })
  const attackShift = coarse.score >= minAttackAgreement ? coarse.lag * envelopeHop : desired
  const window = Math.round(waveBefore * analysisRate)
  const reach = Math.round(waveReach * analysisRate)
  const [from, to] = [Math.round(outgoing) - window, Math.round(incoming + attackShift) - window]
  if (from < 0 || to - reach < 0) return { shift: attackShift, correlation: 0 }
  const left = { values: await mono.read(from, from + window), at: 0 }
  const right = { values: await mono.read(to - reach, to + window + reach), at: reach }
  const fine = bestLag(left, right, { length: window, reach, preferred: desired - attackShift })
  const waveShift = fine.score >= minWaveAgreement ? fine.lag : 0
  const correlation = similarity(left, { values: right.values, at: reach + waveShift }, window)
  return { shift: attackShift + waveShift, correlation: Math.max(0, correlation) }
}

/** An attack that a fade must not blur, as a share of the strongest attack of the piece. */
const CLEAR_ATTACK = 0.25
/** The shortest fade without a click (s), and how long before an attack a fade must end. */
const shortestFade = 0.002
const beforeAttack = 0.003

/** Level of a clear attack in an envelope. */
export const clearAttack = (attacks: Float32Array): number =>
  CLEAR_ATTACK * attacks.reduce((strongest, value) => Math.max(strongest, value), 0)

/**
 * Maximum duration (s) of a fade that begins at `start` (in samples at ANALYSIS_RATE): up to `longest`, less if an attack that
 * the fade would soften comes sooner.
 */
export const fadeBeforeAttack = (attacks: Float32Array, clear: number, start: number, longest: number): number => {
  const first = Math.floor(start / envelopeHop)
  const last = Math.ceil((start + longest * analysisRate) / envelopeHop)
  for (let i = Math.max(0, first); i <= last; i++) {
    if ((attacks[i] ?? 0) < clear) continue
    const seconds = (i * envelopeHop - start) / analysisRate
    return Math.max(shortestFade, Math.min(longest, seconds - beforeAttack))
  }
  return longest
}
