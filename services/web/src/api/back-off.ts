/** Waits before reconnecting: 0.5 s doubled up to 15 s, of which a random half is left out, so that clients do not return together. */
export const backOffMilliseconds = (failures: number, random: () => number = Math.random): number => {
  const longest = Math.min(15_000, 500 * 2 ** Math.max(0, failures - 1))
  return Math.round(longest / 2 + (random() * longest) / 2)
}
