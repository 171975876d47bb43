import type { Happening } from './happenings.ts'
import { publicNetworkOf } from './public-network.ts'
import type { RateRule } from './rate-rules.ts'

/** `value` is what the rule tells apart. */
export type Counted = { happening: Happening; attempts: number; value: string | null }

/** What a rule counts at once, with its sums kept as it comes and goes: a window may hold a thousand. */
export type RateWindow = {
  counted: Counted[]
  attempts: number
  /** How often each value is among them. */
  values: Map<string, number>
}

const maxInWindow = 1_000

export const createRateWindow = (): RateWindow => ({ counted: [], attempts: 0, values: new Map() })

export const distinctValueOf = (happening: Happening, { distinct }: Pick<RateRule, 'distinct'>): string | null => {
  if (distinct === undefined) return null
  if (distinct !== 'network') return happening[distinct]
  return happening.address === null ? null : publicNetworkOf(happening.address)
}

export const timeOf = ({ happening }: Counted): number => happening.entry.effectiveTime

export const addTo = (window: RateWindow, counted: Counted): void => {
  window.counted.push(counted)
  window.attempts += counted.attempts
  if (counted.value !== null) window.values.set(counted.value, (window.values.get(counted.value) ?? 0) + 1)
}

const takeOut = (window: RateWindow, { attempts, value }: Counted): void => {
  window.attempts -= attempts
  if (value === null) return
  const left = (window.values.get(value) ?? 1) - 1
  if (left > 0) window.values.set(value, left)
  else window.values.delete(value)
}

/** Takes what is too old off the front, and what are too many. Happenings come in the order of time. */
export const leaveBehind = (window: RateWindow, since: number): void => {
  const { counted } = window
  let old = Math.max(0, counted.length - maxInWindow)
  for (let first = counted[old]; first && timeOf(first) < since; first = counted[old]) old++
  if (old === 0) return
  for (const gone of counted.splice(0, old)) takeOut(window, gone)
}
