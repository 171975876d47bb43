import { randomInt } from 'node:crypto'

/** A seed for all that a run draws: a positive 31-bit integer. */
export const drawSeed = (): number => randomInt(1, 2 ** 31 - 1)
