/** A stretch of sound to play: from and to in seconds within one file. */
export type Segment = { key: string; url: string; seconds: number }
export type Part = { url: string; from: number; to: number }

/** The parts of consecutive segments between two times of the whole. */
export const partsBetween = (segments: readonly Segment[], from: number, to: number): Part[] => {
  const parts: Part[] = []
  let start = 0
  for (const { url, seconds } of segments) {
    const end = start + seconds
    if (end > from && start < to)
      parts.push({ url, from: Math.max(0, from - start), to: Math.min(seconds, to - start) })
    start = end
  }
  return parts
}

/** Cuts a stretch into windows of at most `seconds`, which are fetched one after another. */
export const windowsOf = (from: number, to: number, seconds: number): { from: number; to: number }[] =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / seconds)) }, (_, index) => ({
    from: from + index * seconds,
    to: Math.min(to, from + (index + 1) * seconds),
  }))

export const totalSeconds = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { seconds }) => sum + seconds, 0)
