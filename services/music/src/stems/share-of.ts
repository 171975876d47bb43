import { clamp } from '../dsp/statistics.ts'

/** The share of a part in the whole, 0 to 1; 0 of silence. */
export const shareOf = (part: number, whole: number): number => clamp(part / (whole + 1e-20), 0, 1)
