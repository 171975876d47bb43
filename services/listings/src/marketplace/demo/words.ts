import type { DemoSeller } from './inventory.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const day = 86_400_000

export const dollars = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

/** A count as cards abbreviate it: 999, 1.6K, 12.3K. */
export const shortCount = (count: number): string => (count < 1000 ? String(count) : `${Math.round(count / 100) / 10}K`)
export const longCount = (count: number): string => count.toLocaleString('en-US')

export const dateInWords = (date: Date): string =>
  `${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`
export const joinedInWords = ({ joined }: DemoSeller): string => `Joined ${months[joined.month - 1]} ${joined.year}`
export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * day)

/** Time until a moment in the two largest units: "3d 14h", "2h 9m", "35s". */
export const timeUntil = (end: Date, now: Date): string => {
  const seconds = Math.max(0, Math.floor((end.getTime() - now.getTime()) / 1000))
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first >= 2 ? first + 1 : first + 2)
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ')
}

export const clockTime = (end: Date): string => {
  const hours = end.getUTCHours()
  return `(${weekdays[end.getUTCDay()]}, ${String(hours % 12 || 12).padStart(2, '0')}:${String(end.getUTCMinutes()).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'})`
}
