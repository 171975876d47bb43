import { beatEvidence } from './beat-evidence.ts'
import { beatLengths, changeCosts, mostChange, tempi } from './beat-lengths.ts'
import type { BeatOdds } from './beat-odds.ts'

/** Frames around a beat within which the true one may lie: 35 ms. */
const tolerance = 3
/** Evidence of neighbouring frames and bands is not independent, so it counts by this share. */
const trust = 0.5
/** Differences of log likelihoods beyond this are ignored. */
const negligible = 12
const none = Number.NEGATIVE_INFINITY

const { widest, counts, lengths, costs, longest } = beatLengths
const changes = Float64Array.from(changeCosts, (cost) => -trust * cost)

/** log(exp(a) + exp(b)), without overflow. Called so often that destructuring would keep the garbage collector busy. */
const addLogs = (a: number, b: number): number => {
  const high = Math.max(a, b)
  const low = Math.min(a, b)
  return low === none || high - low > negligible ? high : high + Math.log1p(Math.exp(low - high))
}

/** Scores after a change of tempo, in either direction. */
const changeTempo = (scores: Float64Array, into: Float64Array): void => {
  for (let tempo = 0; tempo < tempi; tempo++) {
    let sum = none
    for (let other = Math.max(0, tempo - mostChange); other <= Math.min(tempi - 1, tempo + mostChange); other++)
      sum = addLogs(sum, (scores[other] ?? none) + (changes[Math.abs(other - tempo)] ?? 0))
    into[tempo] = sum
  }
}

/**
 * How likely (0..1) a beat is near each of `frames`, by all the ways in which a pulse of any tempo can pass through the piece:
 * forward and backward over the states of the bar pointer, without bars. A path may begin in any frame within the longest beat
 * from `firstSound`, and end within the longest beat before the end.
 */
export const beatPosteriors = (
  odds: BeatOdds,
  { frames, firstSound }: { readonly frames: readonly number[]; readonly firstSound: number },
): number[] => {
  const fits = beatEvidence(odds)
  const count = odds.frames
  const [some, others] = [new Float64Array(tempi), new Float64Array(tempi)]
  // Forward: log likelihoods of all beginnings up to a beat, by the tempo before it, and after it.
  const before = new Float32Array(count * tempi).fill(none)
  const after = new Float32Array(count * tempi).fill(none)
  for (let frame = 0; frame < count; frame++) {
    for (let tempo = 0; tempo < tempi; tempo++) {
      let sum = frame <= firstSound + longest ? 0 : none
      const row = tempo * widest
      for (let i = row; i < row + (counts[tempo] ?? 0); i++) {
        const length = lengths[i] ?? 0
        if (length > frame) break
        sum = addLogs(sum, (after[(frame - length) * tempi + tempo] ?? none) - trust * (costs[i] ?? 0))
      }
      some[tempo] = sum + trust * (fits[frame] ?? 0)
    }
    before.set(some, frame * tempi)
    changeTempo(some, others)
    after.set(others, frame * tempi)
  }
  // Backward: log likelihoods of all endings after a beat; the rows of `after` are no longer needed, so they are reused.
  const totals = new Float64Array(count).fill(none)
  let whole = none
  for (let frame = count - 1; frame >= 0; frame--) {
    const isEnd = frame >= count - longest
    for (let tempo = 0; tempo < tempi; tempo++) {
      let sum = none
      const row = tempo * widest
      for (let i = row; i < row + (counts[tempo] ?? 0); i++) {
        const next = frame + (lengths[i] ?? 0)
        if (next >= count) break
        const edge = trust * ((fits[next] ?? 0) - (costs[i] ?? 0))
        sum = addLogs(sum, (after[next * tempi + tempo] ?? none) + edge)
      }
      some[tempo] = sum
    }
    changeTempo(some, others)
    for (let tempo = 0; tempo < tempi; tempo++) {
      const ending = isEnd ? addLogs(0, others[tempo] ?? none) : (others[tempo] ?? none)
      const beginning = before[frame * tempi + tempo] ?? none
      totals[frame] = addLogs(totals[frame] ?? none, beginning + ending)
      if (isEnd) whole = addLogs(whole, beginning)
      after[frame * tempi + tempo] = ending
    }
  }
  return frames.map((frame) => {
    let sum = 0
    for (let at = Math.max(0, frame - tolerance); at <= Math.min(count - 1, frame + tolerance); at++)
      sum += Math.exp((totals[at] ?? none) - whole)
    return Math.min(1, sum)
  })
}
