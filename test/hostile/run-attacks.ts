import { setTimeout as sleep } from 'node:timers/promises'
import { randomFrom, shuffled } from '../support/exploration.ts'
import type { Attack, Target } from './attack.ts'
import { abort } from './attacks/aborts.ts'
import { floodOfConnections, floodOfCredentials, floodOfRequests, floodOfSearches } from './attacks/floods.ts'
import { foreignPage } from './attacks/foreign.ts'
import { brokenCall, brokenFrames } from './attacks/frames.ts'
import { malformedBody } from './attacks/malformed-bodies.ts'
import { malformedHttp } from './attacks/malformed-http.ts'
import { slowBody, slowHeaders, slowReader } from './attacks/slow.ts'

/** Number of each kind in a deck. Decks are shuffled and dealt one after another, so that every kind occurs in every deck. */
const deck: readonly (readonly [Attack, number])[] = [
  [abort, 14],
  [slowHeaders, 1],
  [slowBody, 2],
  [slowReader, 1],
  [floodOfRequests, 2],
  [floodOfSearches, 1],
  [floodOfCredentials, 1],
  [floodOfConnections, 1],
  [malformedHttp, 6],
  [malformedBody, 4],
  [brokenFrames, 2],
  [brokenCall, 2],
  [foreignPage, 3],
]

type Dealt = { attack: Attack; random: () => number }

/** Attacks in an order determined by the seed. Each has its own seed, so that concurrent attacks do not affect it. */
function* deal(seed: number): Generator<Dealt, never> {
  const random = randomFrom(seed)
  const whole = deck.flatMap(([attack, count]) => Array.from({ length: count }, () => attack))
  while (true)
    for (const attack of shuffled(whole, random)) yield { attack, random: randomFrom(Math.floor(random() * 2 ** 31)) }
}

export const deckSize = deck.reduce((sum, [, count]) => sum + count, 0)

export type Load = {
  seed: number
  /** Attacks started per second. */
  pace: number
  /** Maximum number of concurrent attacks; further ones wait. */
  atOnce: number
  seconds: number
}

/** Attacks for `seconds`, and at least until every kind was used. Returns the number of attacks. */
export const runAttacks = async (
  target: Target,
  { seed, pace, atOnce, seconds }: Load,
  isGone: () => boolean,
): Promise<number> => {
  const until = performance.now() + seconds * 1_000
  const underWay = new Set<Promise<void>>()
  const begin = ({ attack, random }: Dealt) => {
    const running: Promise<void> = attack(target, random).then(
      () => void underWay.delete(running),
      (error: unknown) => {
        underWay.delete(running)
        target.tally.fail(`an attack itself failed: ${error instanceof Error ? error.stack : error}`)
      },
    )
    underWay.add(running)
  }
  let begun = 0
  for (const dealt of deal(seed)) {
    if (isGone() || (performance.now() >= until && begun >= deckSize)) break
    while (underWay.size >= atOnce) await Promise.race(underWay)
    begin(dealt)
    begun += 1
    await sleep(1_000 / pace)
  }
  await Promise.all(underWay)
  return begun
}
