import type { TemplateCounts } from './count-templates.ts'

/** A time range in equal buckets; `start` is epoch milliseconds. */
export type Window = { start: number; milliseconds: number; count: number }

export const directions = ['new', 'rising', 'steady', 'falling', 'silent'] as const
export type Direction = (typeof directions)[number]

const bucketsOfWindow = 24
/** The share of the window at its end that is compared with the rest. */
const recentShare = 1 / 4
const minExpectedForSilence = 4
const factor = 2
/** Chance alone exceeds this many standard deviations once in some hundred times; a count's is its square root (Poisson). */
const deviations = 3

/** The window between two times, epoch milliseconds. */
export const windowBetween = (since: number, until: number): Window => ({
  start: since,
  milliseconds: Math.max(1, (until - since) / bucketsOfWindow),
  count: bucketsOfWindow,
})

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** How the last quarter of a window compares with the rest of it. */
export const directionOf = (
  { buckets, firstSeen }: Pick<TemplateCounts, 'buckets' | 'firstSeen'>,
  { start, milliseconds }: Window,
): Direction => {
  const recentFrom = Math.round(buckets.length * (1 - recentShare))
  if (firstSeen >= start + recentFrom * milliseconds) return 'new'
  const recent = sum(buckets.slice(recentFrom))
  const expected = (sum(buckets.slice(0, recentFrom)) / recentFrom) * (buckets.length - recentFrom)
  if (recent === 0 && expected >= minExpectedForSilence) return 'silent'
  const chance = deviations * Math.sqrt(Math.max(1, expected))
  if (recent > expected * factor && recent - expected > chance) return 'rising'
  if (recent < expected / factor && expected - recent > chance) return 'falling'
  return 'steady'
}
