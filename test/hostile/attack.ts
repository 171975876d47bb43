import type { Fixtures, RawRequest } from '../aborts/requests.ts'
import type { Case } from '../aborts/ways.ts'
import type { Tally } from './tally.ts'

/** The installation under attack. */
export type Target = {
  /** Ports of the edges. */
  ports: readonly number[]
  /** Ports for communication between processes: gRPC, pushes to branches, metrics. */
  internalPorts: readonly number[]
  /** The internal ports that speak gRPC; the embedded form has none. */
  grpcPorts: readonly number[]
  fixtures: Fixtures
  requests: readonly RawRequest[]
  /** Draws the next case of the abort matrix; all cases are drawn once before any is repeated. */
  nextAbort: () => Case
  tally: Tally
}

/** One attack. It takes a few seconds at most and closes its connections. */
export type Attack = (target: Target, random: () => number) => Promise<void>

/** The caller of floods: an address that the edge reads from `X-Forwarded-For`, since this machine is a trusted proxy by default. */
export const flooder = '198.51.100.1'

export const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new TypeError('There is nothing to pick from.')
  return item
}

/** An integer from `low` to `high`, inclusive. */
export const between = (low: number, high: number, random: () => number): number =>
  low + Math.floor(random() * (high - low + 1))

export const bytesOf = (count: number, random: () => number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))
