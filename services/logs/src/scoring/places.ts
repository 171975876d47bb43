import { type Seen, surpriseOf } from './rate-of-new.ts'

/** A template in a place: from a node, or after another template. Repetitions within a unit (a stretch, a session) count once. */
export type Sighting = { kind: string; place: string; unit: string | number }

export type Places = {
  add: (sighting: Sighting) => void
  /** 0 to 1: how unusual a template is in a place where it never occurred. 0 if it did, or if too little is known. */
  strangenessOf: (sighting: Pick<Sighting, 'kind' | 'place'>) => number
  /** In how many units and how many places the template occurred. */
  known: (kind: string) => { times: number; places: number }
}

type Tally = Seen
type KindTally = Tally & { places: Map<string, { count: number; unit: string | number }> }

/** Expected number of logs with one false alarm: the probability that chance alone confines any template to its places is below this. */
const falseAlarm = 0.01
/** Beyond this number of pairs nothing is learned, and nothing is reported as strange. */
const maxPairs = 50_000

/** An upper bound of the logarithm of the number of ways to choose `some` of `all`. */
const waysToChoose = (all: number, some: number): number => {
  const fewer = Math.min(some, all - some)
  return fewer === 0 ? 0 : fewer * (1 + Math.log(all / fewer))
}

/**
 * Learns the places in which templates occur. A template is strange in a new place if two conditions hold. First, its confinement to its places is
 * not chance: if it occurred anywhere as often as all templates together do, it would have occurred elsewhere long before. (The probability is the
 * share of its places to the power of its count, times the ways to choose that many places, times the templates: a union bound, so no parameter
 * needs tuning.) Second, novelty is rare both for this template and in this place by Good's estimate, which is the strangeness.
 */
export const createPlaces = (): Places => {
  const kinds = new Map<string, KindTally>()
  const places = new Map<string, Tally>()
  let total = 0
  let pairs = 0
  const tallyOf = (place: string): Tally => {
    const known = places.get(place)
    if (known) return known
    const made = { count: 0, once: 0 }
    places.set(place, made)
    return made
  }
  const kindOf = (kind: string): KindTally => {
    const known = kinds.get(kind)
    if (known) return known
    const made: KindTally = { count: 0, once: 0, places: new Map() }
    kinds.set(kind, made)
    return made
  }
  /** Whether the confinement of a template to few places is not chance. */
  const isConfined = (ofKind: KindTally): boolean => {
    let there = 0
    for (const place of ofKind.places.keys()) there += places.get(place)?.count ?? 0
    const evidence = ofKind.count * Math.log(total / there)
    return evidence >= waysToChoose(places.size, ofKind.places.size) + Math.log(kinds.size / falseAlarm)
  }
  return {
    add: ({ kind, place, unit }) => {
      const known = kinds.get(kind)?.places.get(place)
      if (known?.unit === unit || (!known && pairs >= maxPairs)) return
      const [ofKind, ofPlace] = [kindOf(kind), tallyOf(place)]
      const before = known?.count ?? 0
      for (const tally of [ofKind, ofPlace]) {
        tally.count++
        if (before < 2) tally.once += before === 0 ? 1 : -1
      }
      total++
      if (!known) pairs++
      ofKind.places.set(place, { count: before + 1, unit })
    },
    strangenessOf: ({ kind, place }) => {
      const [ofKind, ofPlace] = [kinds.get(kind), places.get(place)]
      if (!ofKind || !ofPlace || ofKind.places.has(place) || pairs >= maxPairs) return 0
      if (!isConfined(ofKind)) return 0
      return Math.min(surpriseOf(ofKind), surpriseOf(ofPlace))
    },
    known: (kind) => ({ times: kinds.get(kind)?.count ?? 0, places: kinds.get(kind)?.places.size ?? 0 }),
  }
}
