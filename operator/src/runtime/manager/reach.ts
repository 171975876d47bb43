import type { Reflector } from '../reflector/reflector.ts'

/**
 * A cache, with its namespace if the operator can do without that. `isGrantedClusterWide`: it may be granted although the operator has no
 * rights in that namespace.
 */
export type PlacedReflector = { reflector: Reflector; dispensable?: string; isGrantedClusterWide?: boolean }

/**
 * Milliseconds after which a namespace counts as out of reach if the server denies access to all of its caches that only rights in the
 * namespace grant. A Role that was just created takes effect sooner.
 */
const outOfReachAfter = 30_000

/** The namespaces out of reach: usually deleted, and the operator's Role with them. They must not stop the work in the others. */
export const namespacesOutOfReach = (placed: readonly PlacedReflector[]): Set<string> => {
  const granted = new Set<string | undefined>()
  for (const { reflector, dispensable, isGrantedClusterWide = false } of placed)
    if (!isGrantedClusterWide && reflector.deniedFor() < outOfReachAfter) granted.add(dispensable)
  return new Set(placed.flatMap(({ dispensable }) => (granted.has(dispensable) ? [] : (dispensable ?? []))))
}

/** The caches of all namespaces but those out of reach. */
export const reflectorsWithinReach = (placed: readonly PlacedReflector[]): Reflector[] => {
  const gone = namespacesOutOfReach(placed)
  return placed
    .filter(({ dispensable }) => dispensable === undefined || !gone.has(dispensable))
    .map(({ reflector }) => reflector)
}
