import { randomInt } from 'node:crypto'

/** Draws a seed for all random choices of a run: a positive 31-bit integer. */
export const drawSeed = (): number => randomInt(1, 2 ** 31 - 1)
