/**
 * Maximum deviation (as a ratio) of two tempi that count as the same. A prompt makes a continuation up to 6 % faster or slower, and
 * ending with a beat changes it by up to 2.5 %.
 */
const sameTempo = 0.09

/** Corrects a tempo to its parent's octave, if they differ by a factor of two: ten seconds alone may not determine it. */
export const sameOctave = (bpm: number | null, parent: number | null): number | null => {
  if (bpm === null || parent === null) return bpm
  return [bpm * 2, bpm / 2].find((other) => Math.abs(other / parent - 1) < sameTempo) ?? bpm
}
