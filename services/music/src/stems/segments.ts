/** A stretch of frames that is analysed as a whole. */
export type Segment = {
  readonly from: number
  readonly to: number
  /** Frames at its beginning that it shares with the segment before, whose masks are faded into its own. */
  readonly shared: number
}

/** Divides frames into segments of about the same length, at most `longest`, each of which overlaps the one before by `overlap`. */
export const segmentsOf = (frames: number, longest: number, overlap: number): Segment[] => {
  const count = Math.max(1, Math.ceil((frames - overlap) / (longest - overlap)))
  const step = (frames - overlap) / count
  return Array.from({ length: count }, (_, index) => ({
    from: Math.round(index * step),
    to: index === count - 1 ? frames : Math.round((index + 1) * step) + overlap,
    shared: index === 0 ? 0 : overlap,
  }))
}
