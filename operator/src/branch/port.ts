import type { Branch } from '../crds/mod.ts'
import { isOlder } from './slug.ts'

/** The first port that is assigned. */
export const firstPort = 8538
const lastPort = 65_535

export type PortChoice = { kind: 'port'; port: number } | { kind: 'taken'; port: number; by: Branch } | { kind: 'none' }

/** The port that a Branch has, or has asked for. */
const claimOf = ({ spec, status }: Branch): number | undefined => spec.port ?? status.port

/** Of two that want a port, the one that has it keeps it; of two that have it, or neither, the older one. */
const goesBefore = (a: Branch, b: Branch, port: number): boolean => {
  const [has, otherHas] = [a.status.port === port, b.status.port === port]
  return has === otherHas ? isOlder(a, b) : has
}

/**
 * The port of a Branch: the one it asks for, or the one it has, or the smallest that is free. One that it asks for and
 * another has it has to wait for; one that was merely assigned is given up for another.
 */
export const choosePort = (branch: Branch, others: readonly Branch[]): PortChoice => {
  const desired = claimOf(branch)
  const by = others.find(
    (other) => desired !== undefined && claimOf(other) === desired && goesBefore(other, branch, desired),
  )
  if (desired !== undefined && !by) return { kind: 'port', port: desired }
  if (by && branch.spec.port !== undefined) return { kind: 'taken', port: branch.spec.port, by }
  const taken = new Set(others.flatMap(({ spec, status }) => [spec.port, status.port]))
  for (let port = firstPort; port <= lastPort; port += 1) if (!taken.has(port)) return { kind: 'port', port }
  return { kind: 'none' }
}
