/**
 * Running medians of an odd number of taps; beyond its ends the array is mirrored. The window is held sorted: one value leaves
 * and one enters per step, which for the usual 9 to 31 taps is faster than a heap.
 */
export const createMedianFilter = (
  taps: number,
): ((values: Float32Array, out: Float32Array, count: number) => void) => {
  const reach = (taps - 1) / 2
  const sorted = new Float32Array(taps)
  return (values, out, count) => {
    const last = count - 1
    const mirrored = (index: number): number => {
      let at = index
      // Arrays shorter than the window are mirrored several times.
      while (at < 0 || at > last) at = at < 0 ? -at - 1 : 2 * last + 1 - at
      return values[at] ?? 0
    }
    for (let i = 0; i < taps; i++) sorted[i] = mirrored(i - reach)
    sorted.sort()
    out[0] = sorted[reach] ?? 0
    for (let i = 1; i < count; i++) {
      const leaves = i - 1 - reach >= 0 ? (values[i - 1 - reach] ?? 0) : mirrored(i - 1 - reach)
      const enters = i + reach <= last ? (values[i + reach] ?? 0) : mirrored(i + reach)
      if (leaves !== enters) {
        let at = 0
        while ((sorted[at] ?? 0) < leaves) at++
        if (enters > leaves) {
          while (at + 1 < taps && (sorted[at + 1] ?? 0) < enters) {
            sorted[at] = sorted[at + 1] ?? 0
            at++
          }
        } else {
          while (at > 0 && (sorted[at - 1] ?? 0) > enters) {
            sorted[at] = sorted[at - 1] ?? 0
            at--
          }
        }
        sorted[at] = enters
      }
      out[i] = sorted[reach] ?? 0
    }
  }
}

/** The nearest odd number of taps, at least 3. */
export const oddTaps = (taps: number): number => Math.max(3, 2 * Math.round((taps - 1) / 2) + 1)
