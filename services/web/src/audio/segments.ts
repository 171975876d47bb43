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

/** Cuts parts into pieces of at most `seconds`, which are fetched one after another. */
export const pieces = (parts: readonly Part[], seconds: number): Part[] =>
  parts.flatMap(({ url, from, to }) => {
    const count = Math.max(1, Math.ceil((to - from) / seconds))
    return Array.from({ length: count }, (_, index) => ({
      url,
      from: from + index * seconds,
      to: Math.min(to, from + (index + 1) * seconds),
    }))
  })

export const totalSeconds = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { seconds }) => sum + seconds, 0)
