import { columnOf, type Wave } from './waves.ts'

/** The outline of consecutive waves as an SVG path of `columns` by 2, whose middle is silence. */
export const outlineOf = (waves: readonly Wave[], columns: number): string => {
  const total = waves.reduce((sum, { seconds }) => sum + seconds, 0)
  if (total === 0 || waves.some(({ max }) => max.length === 0)) return ''
  const at = (time: number): { low: number; high: number } => {
    let start = 0
    for (const wave of waves) {
      if (time < start + wave.seconds) {
        const from = (time - start) / wave.seconds
        return columnOf(wave, from, Math.min(1, from + total / columns / wave.seconds))
      }
      start += wave.seconds
    }
    return { low: 0, high: 0 }
  }
  const shape = Array.from({ length: columns }, (_, column) => at((column / columns) * total))
  const point = (x: number, value: number) => `${x} ${(1 - Math.min(1, Math.max(-1, value))).toFixed(2)}`
  const above = shape.map(({ high }, x) => point(x, high))
  const below = shape.map(({ low }, x) => point(x, low)).toReversed()
  return `M${[...above, ...below].join('L')}Z`
}
