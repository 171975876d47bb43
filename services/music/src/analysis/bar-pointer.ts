import type { Activations } from './activations.ts'
import { backbeatCost, createDivisionFit, divisionEvidence, positionEvidence } from './beat-evidence.ts'
import { allTempi, beatLengths, changeCosts, mostChange, type TempoRange, tempi } from './beat-lengths.ts'
import { type BarModel, barModels, beatsPerBar, divisions } from './metres.ts'

/** In `origins`: the path begins here. */
const unset = 15

/** A beat of the best path. */
export type DecodedBeat = {
  readonly frame: number
  readonly tempo: number
  /** Position in its bar; 0 is the downbeat. */
  readonly position: number
}

export type DecodedBars = {
  readonly beats: readonly DecodedBeat[]
  readonly model: BarModel
  /** Log likelihood, up to a constant that all paths through the same piece share. */
  readonly score: number
}

/** The places of a bar pointer: each position of each kind of bar, and the place before it. */
const places = barModels.flatMap((model) =>
  Array.from({ length: beatsPerBar[model.metre] }, (_, position) => ({ model, position })),
)
const previousPlace = Int32Array.from(places, ({ model, position }) =>
  places.findIndex((other) => other.model === model && other.position === (position || beatsPerBar[model.metre]) - 1),
)
/** A kind of beat: how it is divided, and half the beats of its bar if it ends on the second of two backbeats (else 0). */
type BeatKind = { readonly division: keyof typeof divisions; readonly halfBar: number }
const kindAt = ({ model: { division, snare }, position }: (typeof places)[number]): BeatKind => {
  const half = snare.length / 2
  return { division, halfBar: snare[position] === 1 && snare[position - half] === 1 ? half : 0 }
}
const isSameKind = (a: BeatKind, b: BeatKind) => a.division === b.division && a.halfBar === b.halfBar
const kinds = places.map(kindAt).filter((kind, i, all) => all.findIndex((other) => isSameKind(kind, other)) === i)
/** The kind of the beat that ends at each place. */
const kindOf = Int32Array.from(places, (place) => kinds.findIndex((kind) => isSameKind(kind, kindAt(place))))
const { widest, counts, lengths, costs, shortest, longest } = beatLengths
/** Costs of coming from each tempo, from `mostChange` steps below to as many above. */
const changeTo = Float64Array.from({ length: 2 * mostChange + 1 }, (_, i) => changeCosts[Math.abs(i - mostChange)] ?? 0)

/** The divisions of the kinds, each once. */
const dividedAs = [...new Set(kinds.map(({ division }) => division))]

/** Scores of all beats in a range of tempi that end at a frame: rows of WIDEST values for each kind and tempo. */
const createEdges = (activations: Activations, { lowest, highest }: TempoRange) => {
  const [first, end] = [lowest * widest, (highest + 1) * widest]
  const least = lengths[highest * widest] ?? shortest
  const most = lengths[first + (counts[lowest] ?? 1) - 1] ?? longest
  const evidence = divisionEvidence(activations)
  const divided = dividedAs.map((name) => ({
    name,
    fit: createDivisionFit(evidence, divisions[name], longest),
    fits: new Float64Array(longest + 1),
  }))
  const within = new Float64Array(longest + 1)
  const edges = new Float64Array(kinds.length * tempi * widest)
  return (frame: number): Float64Array => {
    const last = Math.min(most, frame)
    for (const { fit, fits } of divided)
      for (let length = least; length <= last; length++) fits[length] = fit(frame - length, length)
    for (const [kind, { division, halfBar }] of kinds.entries()) {
      const fits = divided.find(({ name }) => name === division)?.fits ?? within
      for (let length = least; length <= last; length++)
        within[length] = (fits[length] ?? 0) - (halfBar > 0 ? backbeatCost(activations, frame, halfBar * length) : 0)
      const row = kind * tempi * widest
      for (let i = first; i < end; i++) edges[row + i] = (within[lengths[i] ?? 0] ?? 0) - (costs[i] ?? 0)
    }
    return edges
  }
}

/** The best path as found so far: its end and, for each frame and state, where it came from. */
type Search = {
  readonly range: TempoRange
  readonly origins: Uint8Array
  readonly frame: number
  readonly state: number
  readonly score: number
}

/** The number of tempi in a range, and of states: one for each place and tempo. */
const sizesOf = ({ lowest, highest }: TempoRange) => {
  const count = highest - lowest + 1
  return { count, states: places.length * count }
}

/** Scores all paths, frame by frame. `startBy` is the last frame in which a path may begin. */
const search = (activations: Activations, startBy: number, range: TempoRange): Search => {
  const { frames } = activations
  const { count: tempiInRange, states } = sizesOf(range)
  const fits = positionEvidence(activations)
  const edgesAt = createEdges(activations, range)
  // For each state its latest scores, so that the lengths of a beat lie next to each other: a ring, written twice, so that a read never
  // wraps. Rings that are a power of two apart would compete for the same few lines of the processor's cache.
  const ring = longest + 1
  const stride = 2 * ring + 16
  const entered = new Float32Array(stride * states)
  // The scores of one place, by tempo, between tempi that are not reached.
  const reached = new Float64Array(tempiInRange + 2 * mostChange).fill(Number.NEGATIVE_INFINITY)
  const origins = new Uint8Array(frames * states)
  let end = { frame: 0, state: 0, score: Number.NEGATIVE_INFINITY }
  for (let frame = 0; frame < frames; frame++) {
    const edges = edgesAt(frame)
    const floor = frame <= startBy ? 0 : Number.NEGATIVE_INFINITY
    const slot = frame % ring
    const isLast = frame >= frames - longest
    for (let place = 0; place < places.length; place++) {
      const from = (previousPlace[place] ?? 0) * tempiInRange
      const edge = (kindOf[place] ?? 0) * tempi * widest
      const row = place * tempiInRange
      for (let tempo = 0; tempo < tempiInRange; tempo++) {
        let top = floor
        let origin = unset
        const first = (range.lowest + tempo) * widest
        const least = lengths[first] ?? 0
        // Consecutive lengths, of which those before the beginning of the piece are left out.
        const count = Math.min(counts[range.lowest + tempo] ?? 0, frame - least + 1)
        const latest = (from + tempo) * stride + slot + ring - least
        for (let i = 0; i < count; i++) {
          const value = (entered[latest - i] ?? 0) + (edges[edge + first + i] ?? 0)
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
      for (let tempo = 0; tempo < tempiInRange; tempo++) {
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
  return { range, origins, ...end }
}

/** Follows the best path back to its beginning. */
const traceBack = ({ range, origins, frame, state }: Search): { beats: DecodedBeat[]; place: number } => {
  const { count, states } = sizesOf(range)
  const beats: DecodedBeat[] = []
  let [at, place, tempo] = [frame, Math.floor(state / count), state % count]
  for (;;) {
    beats.push({ frame: at, tempo: range.lowest + tempo, position: places[place]?.position ?? 0 })
    const origin = (origins[at * states + place * count + tempo] ?? unset) & 15
    if (origin === unset) return { beats: beats.reverse(), place }
    at -= lengths[(range.lowest + tempo) * widest + origin] ?? 1
    place = previousPlace[place] ?? 0
    tempo += ((origins[at * states + place * count + tempo] ?? 0) >> 4) - mostChange
  }
}

/**
 * Finds tempo, beats, bars and metre of a piece together: the most likely path of a pointer that moves through bars (Whiteley,
 * Cemgil and Godsill 2006, in the form of Krebs, Böck and Widmer, "An efficient state-space model for joint tempo and meter
 * tracking", 2015: the tempo changes at beats only). The states between two beats, which can only advance, are not stored: a
 * beat is one transition with an explicit duration. So tempi need not be whole numbers of frames, and a beat may be early or
 * late without a change of tempo. Only the tempi of a range are considered.
 */
export const decodeBars = (
  activations: Activations,
  firstSound = 0,
  range: TempoRange = allTempi,
): DecodedBars | undefined => {
  if (activations.frames < 3 * shortest) return undefined
  const found = search(activations, firstSound + longest, range)
  if (found.score === Number.NEGATIVE_INFINITY) return undefined
  const { beats, place } = traceBack(found)
  const model = places[place]?.model
  return model && beats.length > 2 ? { beats, model, score: found.score } : undefined
}
