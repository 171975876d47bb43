import { measureScoring } from '../../services/listings/bench/scoring.ts'
import { measureSearches } from '../../services/listings/bench/searches.ts'
import { round } from './machine.ts'

/** Measures scores and market prices on one core, then whole searches of the demo marketplace. */
export async function* benchSearches(): AsyncGenerator<string[]> {
  const { listings, scoringMilliseconds, scoresPerSecond, judgedPerSecond, priceMilliseconds } = measureScoring()
  yield [
    `scores of ${listings} listings with evidence, one core, warm: ${round(scoringMilliseconds)} ms, ${round(scoresPerSecond)} a second`,
    `market prices, one core, warm: ${round(judgedPerSecond)} titles judged a second, ${round(priceMilliseconds, 2)} ms for a price of 60 sales`,
  ]
  const loads = [
    { atOnce: 1, searches: 24 },
    { atOnce: 4, searches: 48 },
    { atOnce: 16, searches: 64 },
  ]
  const figures = await measureSearches(loads)
  yield [
    'distinct searches of the demo marketplace, from the call to the complete answer, on SQLite, 4 workers:',
    ...figures.map(
      ({ atOnce, searches, p50, p99, perSecond }) =>
        `  ${atOnce} at once, ${searches} searches: p50 ${round(p50)} ms, p99 ${round(p99)} ms, ${round(perSecond, 1)} searches/s`,
    ),
  ]
}
