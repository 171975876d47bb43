/** The peaks of a segment: lowest and highest sample of equal stretches; none while they are not loaded. */
export type Wave = { key: string; seconds: number; min: readonly number[]; max: readonly number[] }
export type View = { from: number; to: number }

/** A line as high as a pixel or two stands for silence. */
const flat = 0.004

/** The lowest and highest sample of a column that covers a share of a wave, from 0 to 1. */
export const columnOf = ({ min, max }: Wave, from: number, to: number): { low: number; high: number } => {
  const first = Math.min(max.length - 1, Math.floor(from * max.length))
  const last = Math.max(first + 1, Math.floor(to * max.length))
  let low = -flat
  let high = flat
  for (let index = Math.max(0, first); index < last; index += 1) {
    low = Math.min(low, min[index] ?? 0)
    high = Math.max(high, max[index] ?? 0)
  }
  return { low, high }
}

/** A window of the whole of `total` seconds at a zoom, around a time that stays at its share of the window. */
export const zoomedAround = (total: number, zoom: number, time: number, share = 0.5): View => {
  const length = total / Math.max(1, zoom)
  const from = Math.min(total - length, Math.max(0, time - length * share))
  return { from, to: from + length }
}

/** The window, moved by whole windows if a time is outside of it. */
export const showing = ({ from, to }: View, total: number, time: number): View => {
  if (time >= from && time <= to) return { from, to }
  const length = to - from
  return zoomedAround(total, total / length, time, time > to ? 0.05 : 0.95)
}

const isLoaded = ({ max }: Wave): boolean => max.length > 0

/** The stretches of a window whose peaks are not loaded, as shares of the window. Consecutive waves are one stretch. */
export const gapsIn = (waves: readonly Wave[], { from, to }: View): { left: number; wide: number }[] => {
  const gaps: { start: number; end: number }[] = []
  let start = 0
  for (const wave of waves) {
    const end = start + wave.seconds
    const last = gaps.at(-1)
    if (!isLoaded(wave) && start < to && end > from) {
      if (last?.end === start) last.end = end
      else gaps.push({ start, end })
    }
    start = end
  }
  const shareOf = (time: number) => Math.min(1, Math.max(0, (time - from) / (to - from)))
  return gaps.map(({ start, end }) => ({ left: shareOf(start), wide: shareOf(end) - shareOf(start) }))
}

type Canvas = {
  context: CanvasRenderingContext2D
  width: number
  height: number
  colors: readonly [string, string]
  border: string
}

/** Draws what a window shows of consecutive waves: a column per pixel if it is loaded, and a line where one begins. */
export const drawWaves = (
  waves: readonly Wave[],
  { from, to }: View,
  { context, width, height, colors, border }: Canvas,
): void => {
  context.clearRect(0, 0, width, height)
  const perSecond = width / (to - from)
  let start = 0
  for (const [index, wave] of waves.entries()) {
    const left = (start - from) * perSecond
    const wide = wave.seconds * perSecond
    start += wave.seconds
    if (left > width || left + wide < 0) continue
    context.fillStyle = colors[index % 2] ?? colors[0]
    const end = isLoaded(wave) ? Math.min(width, left + wide) : 0
    for (let x = Math.max(0, Math.floor(left)); x < end; x += 1) {
      const { low, high } = columnOf(wave, Math.max(0, (x - left) / wide), (x + 1 - left) / wide)
      context.fillRect(x, (height / 2) * (1 - high), 1, Math.max(1, (height / 2) * (high - low)))
    }
    if (index === 0) continue
    context.fillStyle = border
    context.fillRect(Math.round(left), 0, 1, height)
  }
}
