import { ANALYSIS_RATE } from '../analysis/spectral-frames.ts'

/** Samples of one value of the attack envelope: 1.5 ms. */
const ENVELOPE_HOP = 32

/** Rises of the level of a mono signal at ANALYSIS_RATE, one value per ENVELOPE_HOP samples. */
export const attackEnvelope = (signal: Float32Array): Float32Array => {
  const length = Math.floor(signal.length / ENVELOPE_HOP)
  const levels = new Float32Array(length)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let k = 0; k < ENVELOPE_HOP; k++) {
      const value = signal[i * ENVELOPE_HOP + k] ?? 0
      sum += value * value
    }
    levels[i] = Math.sqrt(sum / ENVELOPE_HOP)
  }
  return levels.map((level, i) => Math.max(0, level - (levels[i - 2] ?? level)))
}

/** Cosine of the angle between two stretches of one array, -1..1; 0 where either is silent. */
const similarity = (values: Float32Array, a: number, b: number, length: number): number => {
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (let i = 0; i < length; i++) {
    const x = values[a + i] ?? 0
    const y = values[b + i] ?? 0
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  const scale = Math.sqrt(squaresA * squaresB)
  return scale > 1e-12 ? product / scale : 0
}

/** The lag (-reach..reach) at which `b + lag` is most like `a`, small lags preferred where it hardly matters. */
const bestLag = (
  values: Float32Array,
  a: number,
  b: number,
  length: number,
  reach: number,
): { lag: number; score: number } => {
  let [best, score, bestWeighted] = [0, 0, Number.NEGATIVE_INFINITY]
  for (let lag = -reach; lag <= reach; lag++) {
    const found = similarity(values, a, b + lag, length)
    const weighted = found - (0.1 * Math.abs(lag)) / Math.max(1, reach)
    if (weighted <= bestWeighted) continue
    bestWeighted = weighted
    best = lag
    score = found
  }
  return { lag: best, score }
}

export interface Alignment {
  /** Samples at ANALYSIS_RATE by which the incoming place should move. */
  readonly shift: number
  /** How alike the two sides are there, 0..1: what their sum will do in a crossfade. */
  readonly correlation: number
}

/** How far attacks may be moved to meet, and then waveforms, in seconds. */
const ATTACK_REACH = 0.02
const WAVE_REACH = 0.008
/** Attacks are compared over this much before and after the join, waveforms over this much before it. */
const ATTACK_BEFORE = 0.6
const ATTACK_AFTER = 0.15
const WAVE_BEFORE = 0.05
/** Attacks that agree less than this say nothing about time, and waveforms nothing about phase. */
const LEAST_ATTACK_AGREEMENT = 0.35
const LEAST_WAVE_AGREEMENT = 0.4

export interface AlignRequest {
  readonly signal: Float32Array
  readonly attacks: Float32Array
  /** Where the outgoing stretch ends and where the incoming one would begin, in samples at ANALYSIS_RATE. */
  readonly outgoing: number
  readonly incoming: number
}

/** Finds where two places of a signal meet best: first by their attacks, which carry the beat, then by their waveform. */
export const alignJoin = ({ signal, attacks, outgoing, incoming }: AlignRequest): Alignment => {
  const inEnvelope = (seconds: number) => Math.round((seconds * ANALYSIS_RATE) / ENVELOPE_HOP)
  const [a, b] = [Math.round(outgoing / ENVELOPE_HOP), Math.round(incoming / ENVELOPE_HOP)]
  const before = Math.min(inEnvelope(ATTACK_BEFORE), a, b)
  // The outgoing side may be the end of the source, with nothing after it.
  const after = Math.max(0, Math.min(inEnvelope(ATTACK_AFTER), attacks.length - a, attacks.length - b))
  const coarse = bestLag(attacks, a - before, b - before, before + after, inEnvelope(ATTACK_REACH))
  const attackShift = coarse.score >= LEAST_ATTACK_AGREEMENT ? coarse.lag * ENVELOPE_HOP : 0
  const window = Math.round(WAVE_BEFORE * ANALYSIS_RATE)
  const reach = Math.round(WAVE_REACH * ANALYSIS_RATE)
  const [from, to] = [Math.round(outgoing) - window, Math.round(incoming + attackShift) - window]
  if (from < 0 || to - reach < 0) return { shift: attackShift, correlation: 0 }
  const fine = bestLag(signal, from, to, window, reach)
  const waveShift = fine.score >= LEAST_WAVE_AGREEMENT ? fine.lag : 0
  return { shift: attackShift + waveShift, correlation: Math.max(0, similarity(signal, from, to + waveShift, window)) }
}

/** An attack that a fade must not blur: this share of the strongest of the piece. */
const CLEAR_ATTACK = 0.25
/** The shortest fade that is no click (s), and how long before an attack it must be over. */
const SHORTEST_FADE = 0.002
const BEFORE_ATTACK = 0.003

/** Level of a clear attack in an envelope. */
export const clearAttack = (attacks: Float32Array): number =>
  CLEAR_ATTACK * attacks.reduce((strongest, value) => Math.max(strongest, value), 0)

/**
 * How long (s) a fade may be that begins at a place (in samples at ANALYSIS_RATE): up to `longest`, less where an attack
 * comes sooner, which the fade would take the edge off.
 */
export const fadeBeforeAttack = (attacks: Float32Array, clear: number, start: number, longest: number): number => {
  const first = Math.floor(start / ENVELOPE_HOP)
  const last = Math.ceil((start + longest * ANALYSIS_RATE) / ENVELOPE_HOP)
  for (let i = Math.max(0, first); i <= last; i++) {
    if ((attacks[i] ?? 0) < clear) continue
    const seconds = (i * ENVELOPE_HOP - start) / ANALYSIS_RATE
    return Math.max(SHORTEST_FADE, Math.min(longest, seconds - BEFORE_ATTACK))
  }
  return longest
}
