import type { StoredEntry } from '../../entries/entry.ts'
import { domainOf } from './domains.ts'
import { sightingOf } from './line-kinds.ts'

/** How often a domain was queried, when, and how often by which address. Times are epoch milliseconds. */
export type Counted = { domain: string; count: number; first: number; last: number; devices: Record<string, number> }

/** Limits of the domains stored per hour and source, and of the devices stored per domain. */
const maxDomains = 2_000
const maxDevices = 20

type ScannedEntry = Pick<StoredEntry, 'text' | 'effectiveTime' | 'repeatCount'>

/** The devices with the most queries. */
const busiest = (devices: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(devices)
      .filter(([, count]) => count > 0)
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, maxDevices),
  )

/** Counts the names that entries query. `isExcluded` names domains to skip. Bounded: the rarest are dropped. */
export const countSightings = (
  entries: readonly ScannedEntry[],
  isExcluded: (domain: string) => boolean,
): Counted[] => {
  const byDomain = new Map<string, Counted>()
  for (const { text, effectiveTime, repeatCount } of entries) {
    const sighting = sightingOf(text)
    const domain = sighting && domainOf(sighting.domain)
    if (!sighting || domain === undefined || isExcluded(domain)) continue
    const known = byDomain.get(domain) ?? { domain, count: 0, first: effectiveTime, last: effectiveTime, devices: {} }
    known.count += repeatCount
    known.first = Math.min(known.first, effectiveTime)
    known.last = Math.max(known.last, effectiveTime)
    if (sighting.client !== null) known.devices[sighting.client] = (known.devices[sighting.client] ?? 0) + repeatCount
    byDomain.set(domain, known)
  }
  return [...byDomain.values()]
    .toSorted((a, b) => b.count - a.count || (a.domain < b.domain ? -1 : 1))
    .slice(0, maxDomains)
    .map((counted) => ({ ...counted, devices: busiest(counted.devices) }))
}

/** The sum of two counts by device; `sign` -1 subtracts the second. */
const addDevices = (
  devices: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
  sign: 1 | -1,
): Record<string, number> => {
  const sum = new Map(Object.entries(devices))
  for (const [device, count] of Object.entries(more)) sum.set(device, (sum.get(device) ?? 0) + sign * count)
  return Object.fromEntries(sum)
}

/** The increase since an hour was last counted. Never negative: deleted entries have been seen all the same. */
export const newSightings = (before: readonly Counted[], after: readonly Counted[]): Counted[] => {
  const known = new Map(before.map((counted) => [counted.domain, counted]))
  return after.flatMap((counted) => {
    const old = known.get(counted.domain)
    if (!old) return [counted]
    const count = counted.count - old.count
    return count > 0 ? [{ ...counted, count, devices: busiest(addDevices(counted.devices, old.devices, -1)) }] : []
  })
}

/** The largest counts of an hour so far, by domain, so that a domain whose entries are deleted and stored again does not count twice. Bounded. */
export const allSightings = (before: readonly Counted[], after: readonly Counted[]): Counted[] => {
  const largest = new Map(before.map((counted) => [counted.domain, counted]))
  for (const counted of after) {
    const old = largest.get(counted.domain)
    if (!old || old.count < counted.count) largest.set(counted.domain, counted)
  }
  return [...largest.values()].toSorted((a, b) => b.count - a.count).slice(0, maxDomains)
}

/** Adds counts by device to those of a domain. */
export const mergeDevices = (
  devices: Readonly<Record<string, number>>,
  more: Readonly<Record<string, number>>,
): Record<string, number> => busiest(addDevices(devices, more, 1))
