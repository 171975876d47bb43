/** So many characters of a line does a format's pattern see (see `pattern-reader.ts`); shorter ones show first what has no end. */
const lengths = [64, 2_048, 16_384]
/** A format that wraps others sees all of a line. */
const wrappingLength = 1_048_576
const maxSamples = 5
const maxPlaces = 100
/** Nothing that a pattern would end with. */
const ending = '\u0001'
const fills = [
  'a',
  ' ',
  '0',
  '"',
  '[',
  '\\',
  ':',
  '.',
  '(',
  '|',
  ',',
  '=',
  'a ',
  'a=b ',
  '[a] ',
  '"a" ',
  '1:',
  'A',
  '-',
]

/** Every so many characters, so that there are `most` places at the most. */
const placesIn = (line: string, max: number): number[] => {
  const step = Math.max(1, Math.ceil(line.length / max))
  return Array.from({ length: Math.floor(line.length / step) + 1 }, (_, index) => index * step)
}

/**
 * Lines that bring out what a pattern does at its worst: a sample up to some place, what stands there again and again, and an end that does
 * not fit. Where two parts of a pattern can take the same characters, one of these makes them try every way to share.
 */
export function* hostileLines(samples: readonly string[], wraps: boolean): Generator<string> {
  const chosen = samples.slice(0, maxSamples)
  for (const length of lengths) {
    for (const sample of chosen) {
      for (const place of placesIn(sample, maxPlaces)) {
        const start = sample.slice(0, place)
        for (const width of [1, 2, 5]) {
          const piece = sample.slice(place, place + width)
          if (piece.length === width) yield start.padEnd(length, piece) + ending
        }
      }
      for (const fill of fills)
        for (const place of placesIn(sample, 8)) yield sample.slice(0, place).padEnd(length, fill) + ending
    }
  }
  if (!wraps) return
  for (const sample of chosen)
    for (const place of placesIn(sample, 10))
      yield sample.slice(0, place).padEnd(wrappingLength, sample[place] ?? 'a') + ending
}
