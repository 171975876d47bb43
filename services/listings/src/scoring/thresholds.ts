/**
 * Every number that scoring depends on. Steps are evaluated in order: a value below `below` earns `points`, and a value that
 * matches no step earns `beyond`.
 */
export const pointsPerSignal = 20

type Steps = { readonly steps: readonly { readonly below: number; readonly points: number }[]; readonly beyond: number }

/** Days since the seller joined. */
export const accountAge: Steps = {
  steps: [
    { below: 7, points: 0 },
    { below: 30, points: 5 },
    { below: 90, points: 10 },
    { below: 365, points: 15 },
  ],
  beyond: 20,
}

/** Feedbacks that the seller has received. */
export const feedbackCount: Steps = {
  steps: [
    { below: 3, points: 0 },
    { below: 10, points: 5 },
    { below: 50, points: 10 },
    { below: 200, points: 15 },
  ],
  beyond: 20,
}

/** Share of positive feedbacks; the worst step of all requires a minimum of feedbacks, see `badRatio`. */
export const feedbackRatio: Steps = {
  steps: [
    { below: 0.9, points: 5 },
    { below: 0.95, points: 10 },
    { below: 0.98, points: 15 },
  ],
  beyond: 20,
}

/** Price over the median of completed sales. A price above 120 % of it earns slightly less than a usual one. */
export const priceVsMarket = {
  steps: [
    { below: 0.5, points: 0 },
    { below: 0.7, points: 5 },
    { below: 0.85, points: 10 },
  ],
  usualUpTo: 1.2,
  usual: 20,
  above: 15,
} as const

/** Listings of the seller in the counted categories. */
export const categoryHistory: Steps = {
  steps: [
    { below: 1, points: 0 },
    { below: 5, points: 8 },
    { below: 20, points: 14 },
  ],
  beyond: 20,
}

/** A ratio below `below` with more than `moreThan` feedbacks marks an established bad actor. */
export const badRatio = { below: 0.8, moreThan: 20 } as const
/** Above this coefficient of variation the prices of a batch are not comparable, and no price is compared with the market. */
export const highestPriceVariation = 0.6
export const newAccountDays = 7
export const youngAccountDays = 30
export const lowFeedbackBelow = 10
/** Maximum composite of a seller without any feedback. */
export const zeroFeedbackCap = 35
/** Sellers with this much feedback count as retailers, who photograph a product once. */
export const retailerFeedback = 1000
export const longOnMarket = { timesSeen: 5, days: 14 } as const
/** A price below this share of the first one seen is a significant drop. */
export const significantDropBelow = 0.8

/** Points of a value according to a table of steps. */
export const pointsFor = (value: number, { steps, beyond }: Steps): number =>
  steps.find(({ below }) => value < below)?.points ?? beyond
