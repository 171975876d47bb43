import type { Branch } from '../crds/mod.ts'
import { isOlder } from './slug.ts'

/** The first port that is assigned. */
export const firstPort = 8538
const lastPort = 65_535

export type PortChoice = { kind: 'port'; port: number } | { kind: 'taken'; port: number; by: Branch } | { kind: 'none' }

/** The port that a Branch requests, or else has. */
const claimOf = ({ spec, status }: Branch): number | undefined => spec.port ?? status.port

/** Whether `a` takes precedence for a port: its holder first; if both or neither hold it, the older one. */
const hasPrecedence = (a: Branch, b: Branch, port: number): boolean => {
  const [has, otherHas] = [a.status.port === port, b.status.port === port]
  return has === otherHas ? isOlder(a, b) : has
}

/**
 * Chooses the port of a Branch: the requested one, or the current one, or the smallest free one. A requested port that
 * another Branch holds must be waited for; a merely assigned one is replaced.
 */
export const choosePort = (branch: Branch, others: readonly Branch[]): PortChoice => {
  const desired = claimOf(branch)
  const by = others.find(
    (other) => desired !== undefined && claimOf(other) === desired && hasPrecedence(other, branch, desired),
  )
  if (desired !== undefined && !by) return { kind: 'port', port: desired }
  if (by && branch.spec.port !== undefined) return { kind: 'taken', port: branch.spec.port, by }
  const taken = new Set(others.flatMap(({ spec, status }) => [spec.port, status.port]))
  for (let port = firstPort; port <= lastPort; port += 1) if (!taken.has(port)) return { kind: 'port', port }
  return { kind: 'none' }
}
