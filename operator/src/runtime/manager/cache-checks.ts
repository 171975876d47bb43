import type { Check } from '@trellis/kit/telemetry'
import { type PlacedReflector, reflectorsWithinReach } from './reach.ts'

/** A reflector's loop iterates within its longest silence plus its longest delay, or it is broken. Milliseconds. */
const longestTurn = 600_000

/**
 * The server sends a bookmark about once a minute; a cache that received nothing for this long is stale. Milliseconds.
 */
const longestSilence = 180_000

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1_000)} s`

/**
 * Health checks of the caches by path. The process is live (`/healthz`) while the reflectors' loops iterate, even if they fail: a restart
 * does not help while the API server is down. It is ready (`/readyz`) once the caches are filled and while the server sends events, apart
 * from those of namespaces that are out of reach.
 */
export const cacheChecks = (placed: readonly PlacedReflector[]): Record<'/healthz' | '/readyz', Check> => ({
  '/healthz': () =>
    placed
      .map(({ reflector }) => reflector)
      .filter((reflector) => reflector.sinceTurn() > longestTurn)
      .map(({ name, sinceTurn }) => `The watch of ${name} has been stuck for ${seconds(sinceTurn())}.`),
  '/readyz': () =>
    reflectorsWithinReach(placed).flatMap(({ name, hasSynced, sinceContact }) => {
      if (!hasSynced()) return [`The cache of ${name} is not filled yet.`]
      if (sinceContact() > longestSilence)
        return [`The cache of ${name} has received nothing for ${seconds(sinceContact())}.`]
      return []
    }),
})
