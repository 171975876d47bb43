/** Measures of beat tracking with the definitions that mir_eval has; times in seconds, ascending. */

/** How far a beat may be off (s), and what is left out at the beginning (s). */
const tolerance = 0.07
const trimmed = 5

const after = (times: readonly number[], from: number) => times.filter((time) => time >= from)

/** Number of pairs in the largest matching of two ascending lists within the tolerance: greedy is optimal on a line. */
const matches = (truth: readonly number[], found: readonly number[], reach: number): number => {
  let [i, j, count] = [0, 0, 0]
  while (i < truth.length && j < found.length) {
    const difference = (found[j] ?? 0) - (truth[i] ?? 0)
    if (Math.abs(difference) <= reach) {
      count++
      i++
      j++
    } else if (difference < 0) j++
    else i++
  }
  return count
}

/** F-measure of found beats: 2 × hits / (found + true), within 70 ms, without the first 5 s. */
export const beatFMeasure = (truth: readonly number[], found: readonly number[]): number => {
  const [reference, estimate] = [after(truth, trimmed), after(found, trimmed)]
  if (reference.length === 0 || estimate.length === 0) return 0
  return (2 * matches(reference, estimate, tolerance)) / (reference.length + estimate.length)
}

/** F-measure of attacks within `reach` seconds. */
export const attackFMeasure = (truth: readonly number[], found: readonly number[], reach: number): number =>
  truth.length + found.length === 0 ? 1 : (2 * matches(truth, found, reach)) / (truth.length + found.length)

/** F-measure of section boundaries within `reach` seconds; the beginning of the piece does not count. */
export const boundaryFMeasure = (truth: readonly number[], found: readonly number[], reach: number): number =>
  attackFMeasure(
    truth.slice(1),
    found.filter((time) => time > reach),
    reach,
  )

/** Whether a tempo is right within 4 %, or right but for a factor of 2, 3, 1/2 or 1/3. */
export const tempoAccuracy = (truth: number, found: number | null): { exact: boolean; octave: boolean } => {
  const near = (factor: number) => Math.abs((found ?? 0) / (truth * factor) - 1) <= 0.04
  return { exact: near(1), octave: [1, 2, 3, 1 / 2, 1 / 3].some(near) }
}

/** Score of a key by the MIREX weights: 1 right, .5 a fifth off, .3 relative, .2 parallel. */
export const keyScore = (truth: string, found: string | null): number => {
  if (found === null) return 0
  if (found === truth) return 1
  const read = (name: string) => {
    const [note = '', mode] = name.split(' ')
    const base = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 }[note[0] ?? 'C'] ?? 0
    return { tonic: (base + (note[1] === '#' ? 1 : note[1] === 'b' ? 11 : 0)) % 12, mode }
  }
  const [one, other] = [read(truth), read(found)]
  const interval = (other.tonic - one.tonic + 12) % 12
  if (one.mode === other.mode) return interval === 0 ? 1 : interval === 7 || interval === 5 ? 0.5 : 0
  if (interval === 0) return 0.2
  return interval === (one.mode === 'major' ? 9 : 3) ? 0.3 : 0
}
