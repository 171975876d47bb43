/**
 * Factors that make sounds equally loud by their integrated loudness in LUFS: all are as loud as the quietest, so that none is amplified and clips.
 * A sound without a loudness, such as silence, stays as it is.
 */
export const matchedGains = (loudness: readonly (number | null)[]): number[] => {
  const quietest = Math.min(...loudness.filter((value) => value !== null))
  return loudness.map((value) => (value === null ? 1 : 10 ** ((quietest - value) / 20)))
}
