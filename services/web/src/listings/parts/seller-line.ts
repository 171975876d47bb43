import type { SellerRest } from '@trellis/protos/edge/client.ts'
import { counted } from '../../ui/counted.ts'

const ages = [
  [365, 'year'],
  [30, 'month'],
  [1, 'day'],
] as const

/** An age in its largest whole unit: "7 years". */
export const ageText = (days: number): string => {
  const [size, unit] = ages.find(([size]) => days >= size) ?? [1, 'day']
  const count = Math.floor(days / size)
  return counted(count, unit)
}

/** What is known about a seller, in a line; what is unknown is named as such. */
export const sellerFacts = (seller: SellerRest | undefined): string[] => {
  if (!seller) return ['seller unknown']
  const { feedback_count: count, feedback_ratio: ratio, account_age_days: days } = seller
  return [
    count === null
      ? 'feedback unknown'
      : `${ratio === null || count === 0 ? '' : `${(ratio * 100).toFixed(1)} % of `}${counted(count, 'feedback')}`,
    days === null ? 'age unknown' : `member for ${ageText(days)}`,
  ]
}
