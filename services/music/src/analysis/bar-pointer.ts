import { positionEvidence } from './beat-evidence.ts'
import { beatLengths, changeCosts, mostChange, tempi } from './beat-lengths.ts'
import type { BeatOdds } from './beat-odds.ts'
import { beatsPerBar, type Metre, metres } from './metres.ts'

/** In `origins`: the path begins here. */
const unset = 15

export type DecodedBars = {
  /** The frames of the beats. */
  readonly beats: readonly number[]
  readonly metre: Metre
}

/** The places of a bar pointer: each position of each kind of bar, and the place before it. */
const places = metres.flatMap((metre) =>
  Array.from({ length: beatsPerBar[metre] }, (_, position) => ({ metre, position })),
)
const previousPlace = Int32Array.from(places, ({ metre, position }) =>
  places.findIndex((other) => other.metre === metre && other.position === (position || beatsPerBar[metre]) - 1),
)
const { widest, counts, lengths, costs, shortest, longest } = beatLengths
/** Costs of coming from each tempo, from `mostChange` steps below to as many above. */
const changeTo = Float64Array.from({ length: 2 * mostChange + 1 }, (_, i) => changeCosts[Math.abs(i - mostChange)] ?? 0)

/** The best path as found so far: its end and, for each frame and state, where it came from. */
type Search = {
  readonly origins: Uint8Array
  readonly frame: number
  readonly state: number
  readonly score: number
}

/** One for each place and tempo. */
const states = places.length * tempi

/** Scores all paths, frame by frame. `startBy` is the last frame in which a path may begin. */
const search = (odds: BeatOdds, startBy: number): Search => {
  const { frames } = odds
  const fits = positionEvidence(odds)
  // For each state its latest scores, so that the lengths of a beat lie next to each other: a ring, written twice, so that a read never
  // wraps. Rings that are a power of two apart would compete for the same few lines of the processor's cache.
  const ring = longest + 1
  const stride = 2 * ring + 16
  const entered = new Float32Array(stride * states)
  // The scores of one place, by tempo, between tempi that are not reached.
  const reached = new Float64Array(tempi + 2 * mostChange).fill(Number.NEGATIVE_INFINITY)
  const origins = new Uint8Array(frames * states)
  let end = { frame: 0, state: 0, score: Number.NEGATIVE_INFINITY }
  for (let frame = 0; frame < frames; frame++) {
    const floor = frame <= startBy ? 0 : Number.NEGATIVE_INFINITY
    const slot = frame % ring
    const isLast = frame >= frames - longest
    for (let place = 0; place < places.length; place++) {
      const from = (previousPlace[place] ?? 0) * tempi
      const row = place * tempi
      for (let tempo = 0; tempo < tempi; tempo++) {
        let top = floor
        let origin = unset
        const first = tempo * widest
        const least = lengths[first] ?? 0
        // Consecutive lengths, of which those before the beginning of the piece are left out.
        const count = Math.min(counts[tempo] ?? 0, frame - least + 1)
        const latest = (from + tempo) * stride + slot + ring - least
        for (let i = 0; i < count; i++) {
          const value = (entered[latest - i] ?? 0) - (costs[first + i] ?? 0)
          if (value > top) {
            top = value
            origin = i
          }
        }
        reached[tempo + mostChange] = top
        origins[frame * states + row + tempo] = origin
        if (isLast && top > end.score) end = { frame, state: row + tempo, score: top }
      }
      const fitHere = fits[place]?.[frame] ?? 0
      for (let tempo = 0; tempo < tempi; tempo++) {
        let top = Number.NEGATIVE_INFINITY
        let change = 0
        // Each of the tempi from which it may have changed.
        for (let i = 0; i <= 2 * mostChange; i++) {
          const value = (reached[tempo + i] ?? 0) - (changeTo[i] ?? 0)
          if (value > top) {
            top = value
            change = i
          }
        }
        const score = top + fitHere
        const at = (row + tempo) * stride + slot
        entered[at] = score
        entered[at + ring] = score
        const state = frame * states + row + tempo
        origins[state] = (origins[state] ?? 0) | (change << 4)
      }
    }
  }
  return { origins, ...end }
}

/** Follows the best path back to its beginning. */
const traceBack = ({ origins, frame, state }: Search): { beats: number[]; place: number } => {
  const beats: number[] = []
  let [at, place, tempo] = [frame, Math.floor(state / tempi), state % tempi]
  for (;;) {
    beats.push(at)
    const origin = (origins[at * states + place * tempi + tempo] ?? unset) & 15
    if (origin === unset) return { beats: beats.reverse(), place }
    at -= lengths[tempo * widest + origin] ?? 1
    place = previousPlace[place] ?? 0
    tempo += ((origins[at * states + place * tempi + tempo] ?? 0) >> 4) - mostChange
  }
}

/**
 * Finds tempo, beats, bars and metre of a piece together: the most likely path of a pointer that moves through bars (Whiteley,
 * Cemgil and Godsill 2006, in the form of Krebs, Böck and Widmer, "An efficient state-space model for joint tempo and meter
 * tracking", 2015: the tempo changes at beats only). The states between two beats, which can only advance, are not stored: a
 * beat is one transition with an explicit duration. So tempi need not be whole numbers of frames, and a beat may be early or
 * late without a change of tempo.
 */
export const decodeBars = (odds: BeatOdds, firstSound = 0): DecodedBars | undefined => {
  if (odds.frames < 3 * shortest) return undefined
  const found = search(odds, firstSound + longest)
  if (found.score === Number.NEGATIVE_INFINITY) return undefined
  const { beats, place } = traceBack(found)
  const metre = places[place]?.metre
  return metre && beats.length > 2 ? { beats, metre } : undefined
}
