import type { Check } from '../health/health-server.ts'
import type { Reflector } from '../reflector/reflector.ts'

/** The loop of a reflector comes round within its longest silence and its longest wait, or it is broken. Milliseconds. */
const longestTurn = 600_000

/** The server sends a bookmark about once a minute; a cache that heard nothing for this long shows the past. Milliseconds. */
const longestSilence = 180_000

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1_000)} s`

/**
 * What the caches say of the process's health. It is alive while their loops come round, though they may fail: where the
 * API server is away no restart helps. It is ready once they are filled and while the server is heard.
 */
export const cacheChecks = (reflectors: readonly Reflector[]): { live: Check; ready: Check } => ({
  live: () =>
    reflectors
      .filter((reflector) => reflector.sinceTurn() > longestTurn)
      .map(({ name, sinceTurn }) => `The watch of ${name} has stood still for ${seconds(sinceTurn())}.`),
  ready: () =>
    reflectors.flatMap(({ name, hasSynced, sinceContact }) => {
      if (!hasSynced()) return [`The cache of ${name} is not filled yet.`]
      if (sinceContact() > longestSilence)
        return [`The cache of ${name} has heard nothing for ${seconds(sinceContact())}.`]
      return []
    }),
})
