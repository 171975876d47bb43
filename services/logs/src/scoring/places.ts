import { type Seen, surpriseOf } from './rate-of-new.ts'

/** A kind of message in a place: from a node, after another kind. What comes more than once in a unit (a stretch, a session) counts once. */
export type Sighting = { kind: string; place: string; unit: string | number }

export type Places = {
  add: (sighting: Sighting) => void
  /** 0 to 1: how strange a kind is in a place where it never came. 0 where it did, and where too little is known to tell. */
  strangenessOf: (sighting: Pick<Sighting, 'kind' | 'place'>) => number
  /** In how many units the kind came, and in how many places. */
  known: (kind: string) => { times: number; places: number }
}

type Tally = Seen
type KindTally = Tally & { places: Map<string, { count: number; unit: string | number }> }

/** That chance alone keeps any kind in its places is to happen once in so many logs. */
const falseAlarm = 0.01
/** What is beyond is not learned, and then nothing is strange. */
const maxPairs = 50_000

/** No less than the logarithm of how many ways there are to choose so many of all. */
const waysToChoose = (all: number, some: number): number => {
  const fewer = Math.min(some, all - some)
  return fewer === 0 ? 0 : fewer * (1 + Math.log(all / fewer))
}

/**
 * Learns in which places kinds of messages come. A kind is strange where it never came if two things hold. That it keeps to its places is no
 * chance: were it anywhere as often as everything together is, it would have come elsewhere long before (the chance is the share of its places to
 * the power of its count, times the ways to choose so many places, times the kinds: a union bound, so that nothing has to be tuned). And
 * something new is rare both for this kind and in this place, as Good's estimate has it: that is how strange it is.
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
  /** Whether so many in so few places is no chance. */
  const keepsToPlaces = (ofKind: KindTally): boolean => {
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
      if (!keepsToPlaces(ofKind)) return 0
      return Math.min(surpriseOf(ofKind), surpriseOf(ofPlace))
    },
    known: (kind) => ({ times: kinds.get(kind)?.count ?? 0, places: kinds.get(kind)?.places.size ?? 0 }),
  }
}
