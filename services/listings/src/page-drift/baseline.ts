/** Share of pages (or cards) on which a field is found: lately, and usually. */
export type FieldRates = { readonly recent: number; readonly baseline: number; readonly pages: number }

/** About how many pages the two shares look back on. */
const lookBack = { recent: 10, baseline: 500 } as const
/** Minimum pages for a baseline, minimum share of a field that is usually there, and the drop that is drift. */
const drift = { pages: 50, usual: 0.2, drop: 0.5 } as const

const moved = (share: number, rate: number, weight: number): number => share + (rate - share) * weight

/** Weight of some pages in an exponential moving average. */
const weightOf = (pages: number, back: number): number => 1 - (1 - 1 / back) ** pages

/**
 * Rates after some more pages. Both averages are plain means until they have as many pages as they look back on. A field that
 * drifts away lowers the baseline only slowly, so that a drift stays visible for hundreds of pages.
 */
export const updatedRates = (
  before: FieldRates | undefined,
  { pages, read, filled }: { readonly pages: number; readonly read: number; readonly filled: number },
): FieldRates => {
  const rate = read === 0 ? 0 : filled / read
  const total = (before?.pages ?? 0) + pages
  const share = pages / Math.max(1, total)
  return {
    recent: moved(before?.recent ?? rate, rate, Math.max(share, weightOf(pages, lookBack.recent))),
    baseline: moved(before?.baseline ?? rate, rate, Math.max(share, weightOf(pages, lookBack.baseline))),
    pages: total,
  }
}

/** Whether a field that used to be found is found on less than half as many pages now. */
export const isDrifting = ({ recent, baseline, pages }: FieldRates): boolean =>
  pages >= drift.pages && baseline >= drift.usual && recent < drift.drop * baseline
