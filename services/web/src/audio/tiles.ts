import type { View } from './waves.ts'

/** A segment with the address of a picture of a stretch of it; times in seconds. */
export type Pictured = {
  key: string
  seconds: number
  pictureUrl: (stretch: { start: number; end: number; width: number }) => string
}
/** A picture in a window; `left` and `wide` are shares of the window. */
export type Tile = { key: string; url: string; left: number; wide: number }

/** Widths are multiples of this, so that small changes of a page's width load nothing. */
const widthStep = 128
const maxWidth = 2_048

const rounded = (seconds: number): number => Math.round(seconds * 1_000) / 1_000

/** The pictures of consecutive segments in a window that is `pixels` wide. */
export const tilesIn = (segments: readonly Pictured[], { from, to }: View, pixels: number): Tile[] => {
  let begin = 0
  return segments.flatMap(({ key, seconds, pictureUrl }) => {
    const offset = begin
    begin += seconds
    const start = Math.max(0, from - offset)
    const end = Math.min(seconds, to - offset)
    if (end - start < 0.001) return []
    const wide = (end - start) / (to - from)
    const width = Math.min(maxWidth, Math.max(1, Math.ceil((wide * pixels) / widthStep)) * widthStep)
    const url = pictureUrl({ start: rounded(start), end: rounded(end), width })
    return [{ key, url, left: (offset + start - from) / (to - from), wide }]
  })
}
