/** An error of a source: when it was, and how often it says that it was. */
export type ErrorMoment = { time: number; count: number; isCritical: boolean }

/** A stretch in which errors stand close. Times are epoch milliseconds. */
export type Cluster = { first: number; last: number; count: number; isCritical: boolean }

export type ClusterRule = {
  /** So many errors */
  threshold: number
  /** within so long make a cluster. */
  windowMilliseconds: number
}

/** Clusters of the errors of one source, oldest first: wherever a window holds as many as the threshold; windows that overlap are one cluster. */
export const findClusters = (
  moments: readonly ErrorMoment[],
  { threshold, windowMilliseconds }: ClusterRule,
): Cluster[] => {
  const sorted = moments.toSorted((left, right) => left.time - right.time)
  /** For each moment, whether a window that holds enough has it. */
  const isDense = new Uint8Array(sorted.length)
  let from = 0
  let held = 0
  let marked = 0
  sorted.forEach(({ time, count }, index) => {
    held += count
    for (let first = sorted[from]; first && time - first.time > windowMilliseconds; first = sorted[++from])
      held -= first.count
    if (held < threshold) return
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
