import { publicNetworkOf } from './public-network.ts'
import type { RateRule } from './rate-rules.ts'
import type { SecurityEvent } from './security-events.ts'

/** `value` is the value that the rule counts as distinct. */
export type Counted = { event: SecurityEvent; attempts: number; value: string | null }

/** The events in a rule's time window, with sums that are updated incrementally: a window may hold a thousand. */
export type RateWindow = {
  counted: Counted[]
  attempts: number
  /** Number of occurrences of each value. */
  values: Map<string, number>
}

const maxInWindow = 1_000

export const createRateWindow = (): RateWindow => ({ counted: [], attempts: 0, values: new Map() })

export const distinctValueOf = (event: SecurityEvent, { distinct }: Pick<RateRule, 'distinct'>): string | null => {
  if (distinct === undefined) return null
  if (distinct !== 'network') return event[distinct]
  return event.address === null ? null : publicNetworkOf(event.address)
}

export const timeOf = ({ event }: Counted): number => event.entry.effectiveTime

export const addTo = (window: RateWindow, counted: Counted): void => {
  window.counted.push(counted)
  window.attempts += counted.attempts
  if (counted.value !== null) window.values.set(counted.value, (window.values.get(counted.value) ?? 0) + 1)
}

const subtractFrom = (window: RateWindow, { attempts, value }: Counted): void => {
  window.attempts -= attempts
  if (value === null) return
  const left = (window.values.get(value) ?? 1) - 1
  if (left > 0) window.values.set(value, left)
  else window.values.delete(value)
}

/** Removes events from the front that are too old or exceed the maximum. Events are added in time order. */
export const removeOlder = (window: RateWindow, since: number): void => {
  const { counted } = window
  let old = Math.max(0, counted.length - maxInWindow)
  for (let first = counted[old]; first && timeOf(first) < since; first = counted[old]) old++
  if (old === 0) return
  for (const gone of counted.splice(0, old)) subtractFrom(window, gone)
}
