import type { Fixtures, RawRequest } from '../aborts/requests.ts'
import type { Case } from '../aborts/ways.ts'
import type { Tally } from './tally.ts'

/** The installation as attackers know it. */
export type Target = {
  /** Ports of the edges. */
  ports: readonly number[]
  /** Ports that processes listen on for each other: gRPC, pushes to branches, metrics. */
  internalPorts: readonly number[]
  /** Those among them that speak gRPC; the embedded form has none. */
  grpcPorts: readonly number[]
  fixtures: Fixtures
  requests: readonly RawRequest[]
  /** Draws the next case of the abort matrix: each once before one comes again. */
  nextAbort: () => Case
  tally: Tally
}

/** One thing that an attacker does. It takes seconds at most and ends its connections itself. */
export type Attack = (target: Target, random: () => number) => Promise<void>

/** Callers of floods: addresses that the edge reads from `X-Forwarded-For`, for this machine is a trusted proxy unless configured otherwise. */
export const flooder = '198.51.100.1'

export const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new TypeError('There is nothing to pick from.')
  return item
}

/** A whole number from `low` up to `high`. */
export const between = (low: number, high: number, random: () => number): number =>
  low + Math.floor(random() * (high - low + 1))

export const bytesOf = (count: number, random: () => number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))
