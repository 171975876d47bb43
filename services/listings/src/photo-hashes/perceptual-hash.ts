/** Pixels of a decoded image, as red, green, blue and opacity from 0 to 255. */
export type Pixels = { readonly data: Uint8Array | Uint8ClampedArray; readonly width: number; readonly height: number }

/** Side of the reduced image, and the coefficients of the cosine transform that are used in each direction. */
const side = 32
const coefficients = 11
const bits = 64
/** Images with less contrast (standard deviation of the brightness, of 255) have no features: all of them would match each other. */
const minContrast = 3

/** Brightness over white, as in BT.601. */
const brightnessAt = (data: Pixels['data'], at: number): number => {
  const brightness = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
  const opacity = (data[at + 3] ?? 255) / 255
  return 255 + (brightness - 255) * opacity
}

/** Averages an image to `side` by `side` values of brightness. Every pixel counts, so that the result does not depend on the resolution. */
const reduced = ({ data, width, height }: Pixels): Float64Array => {
  const sums = new Float64Array(side * side)
  const counts = new Float64Array(side * side)
  for (let y = 0; y < Math.max(height, side); y++) {
    const row = Math.floor((y * side) / Math.max(height, side)) * side
    const source = Math.floor((y * height) / Math.max(height, side)) * width
    for (let x = 0; x < Math.max(width, side); x++) {
      const cell = row + Math.floor((x * side) / Math.max(width, side))
      const at = (source + Math.floor((x * width) / Math.max(width, side))) * 4
      sums[cell] = (sums[cell] ?? 0) + brightnessAt(data, at)
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
  return sums.map((sum, cell) => sum / (counts[cell] ?? 1))
}

const cosines = Array.from({ length: coefficients }, (_, frequency) =>
  Array.from({ length: side }, (_, position) => Math.cos(((2 * position + 1) * frequency * Math.PI) / (2 * side))),
)

/** The 64 lowest frequencies except the mean, in zigzag order. */
const frequencies = Array.from({ length: coefficients }, (_, u) =>
  Array.from({ length: coefficients }, (_, v) => [u, v] as const),
)
  .flat()
  .sort(([a, b], [c, d]) => a + b - (c + d) || a - c)
  .slice(1, bits + 1)

const transformed = (brightness: Float64Array): readonly number[] => {
  const rows = cosines.map((wave) =>
    Array.from({ length: side }, (_, y) =>
      wave.reduce((sum, cosine, x) => sum + cosine * (brightness[y * side + x] ?? 0), 0),
    ),
  )
  return frequencies.map(([u, v]) => {
    const wave = cosines[v] ?? []
    return (rows[u] ?? []).reduce((sum, value, y) => sum + value * (wave[y] ?? 0), 0)
  })
}

const contrastOf = (brightness: Float64Array): number => {
  const mean = brightness.reduce((sum, value) => sum + value, 0) / brightness.length
  return Math.sqrt(brightness.reduce((sum, value) => sum + (value - mean) ** 2, 0) / brightness.length)
}

/**
 * The perceptual hash of an image as 16 hex digits: which of its 64 lowest spatial frequencies exceed their median (Zauner 2010). Resized,
 * recompressed and slightly edited copies differ in few bits, other images in about 32. Null for images without enough contrast.
 */
export const perceptualHash = (pixels: Pixels): string | null => {
  const brightness = reduced(pixels)
  if (contrastOf(brightness) < minContrast) return null
  const values = transformed(brightness)
  const median = values.toSorted((a, b) => a - b).at(bits / 2) ?? 0
  const nibbles = Array.from({ length: bits / 4 }, (_, nibble) =>
    values.slice(nibble * 4, nibble * 4 + 4).reduce((digit, value) => digit * 2 + (value >= median ? 1 : 0), 0),
  )
  return nibbles.map((digit) => digit.toString(16)).join('')
}
