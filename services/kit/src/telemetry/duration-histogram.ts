import type { Registry } from 'prom-client'

type Series = { labels: Record<string, string>; counts: Float64Array; sum: number; count: number }

/**
 * A histogram of seconds for hot paths: a series is looked up once and then observed by index, without building a
 * label key for each observation. The registry reads it like any other metric.
 */
export const createDurationHistogram = (registry: Registry, name: string, help: string, bounds: readonly number[]) => {
  const all: Series[] = []
  const get = async () => ({
    name,
    help,
    type: 'histogram' as const,
    aggregator: 'sum' as const,
    values: all.flatMap(({ labels, counts, sum, count }) => {
      let below = 0
      const buckets = bounds.map((bound, index) => {
        below += counts[index] ?? 0
        return { metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value: below }
      })
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    }),
  })
  registry.registerMetric({ name, help, get, reset: () => all.splice(0) } as never)

  /** Adds a series and returns the function that observes it, in seconds. */
  return (labels: Record<string, string>) => {
    const series: Series = { labels, counts: new Float64Array(bounds.length), sum: 0, count: 0 }
    all.push(series)
    return (seconds: number): void => {
      series.count += 1
      series.sum += seconds
      for (let index = 0; index < bounds.length; index += 1) {
        if (seconds <= (bounds[index] ?? 0)) {
          series.counts[index] = (series.counts[index] ?? 0) + 1
          return
        }
      }
    }
  }
}
