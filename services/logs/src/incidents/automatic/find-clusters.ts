/** An error of a source: its time, and its repeat count. */
export type ErrorMoment = { time: number; count: number; isCritical: boolean }

/** A time span with a high density of errors. Times are epoch milliseconds. */
export type Cluster = { first: number; last: number; count: number; isCritical: boolean }

export type ClusterRule = {
  /** Minimum number of errors */
  threshold: number
  /** within this time span that make a cluster. */
  windowMilliseconds: number
}

/** The clusters of the errors of one source, oldest first: all windows that reach the threshold, with overlapping ones merged. */
export const findClusters = (
  moments: readonly ErrorMoment[],
  { threshold, windowMilliseconds }: ClusterRule,
): Cluster[] => {
  const sorted = moments.toSorted((left, right) => left.time - right.time)
  /** For each error, whether a window that reaches the threshold includes it. */
  const isDense = new Uint8Array(sorted.length)
  let from = 0
  let inWindow = 0
  let marked = 0
  sorted.forEach(({ time, count }, index) => {
    inWindow += count
    for (let first = sorted[from]; first && time - first.time > windowMilliseconds; first = sorted[++from])
      inWindow -= first.count
    if (inWindow < threshold) return
    isDense.fill(1, Math.max(from, marked), index + 1)
    marked = index + 1
  })
  const clusters: Cluster[] = []
  let current: Cluster | undefined
  sorted.forEach(({ time, count, isCritical }, index) => {
    if (isDense[index] === 0) return
    if (current && time - current.last <= windowMilliseconds) {
      current.last = time
      current.count += count
      current.isCritical ||= isCritical
      return
    }
    current = { first: time, last: time, count, isCritical }
    clusters.push(current)
  })
  return clusters
}
