/** How many were seen, and how many of their kinds once. */
export type Seen = { count: number; once: number }

/** What comes once in a thousand times is as surprising as can be told. */
const maxBits = 10

/** Good's estimate of how likely the next is of a kind that was not seen ("The Population Frequencies of Species", 1953); one of each is added. */
const rateOfNew = ({ count, once }: Seen): number => (once + 1) / (count + 1)

/** 0 to 1: how surprising it is that one comes which was not seen. */
export const surpriseOf = (seen: Seen): number => Math.min(1, -Math.log2(rateOfNew(seen)) / maxBits)
