/** The number of observations, and the number of their kinds that were seen once. */
export type Seen = { count: number; once: number }

/** A probability of 1 in 1,000 (10 bits) or less is maximally surprising. */
const maxBits = 10

/**
 * Good's estimate of the probability that the next observation is of an unseen kind ("The Population Frequencies of Species", 1953), smoothed by
 * adding one to both.
 */
const rateOfNew = ({ count, once }: Seen): number => (once + 1) / (count + 1)

/** 0 to 1: how surprising an observation of an unseen kind is. */
export const surpriseOf = (seen: Seen): number => Math.min(1, -Math.log2(rateOfNew(seen)) / maxBits)
