import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createDurationHistogram } from './duration-histogram.ts'

type Declaration<Label extends string> = { name: string; help: string; labels?: readonly Label[] }

/** The metrics of one process. Names follow Prometheus: `trellis_<part>_<what>_<unit>`. */
export const createMetrics = ({ processMetrics = true }: { processMetrics?: boolean } = {}) => {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    counter: <Label extends string>({ name, help, labels = [] }: Declaration<Label>) =>
      new Counter<Label>({ name, help, labelNames: labels, registers }),
    /** A gauge that calls `read` whenever the metrics are rendered. */
    gauge: ({ name, help }: Declaration<never>, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      }),
    /** A gauge by label that calls `read` whenever the metrics are rendered; labels missing from its result are removed. */
    gauges: <Label extends string>(
      { name, help, labels = [] }: Declaration<Label>,
      read: () => Iterable<{ labels: Record<Label, string>; value: number }>,
    ) =>
      new Gauge<Label>({
        name,
        help,
        labelNames: labels,
        registers,
        collect() {
          this.reset()
          for (const series of read()) this.set(series.labels, series.value)
        },
      }),
    histogram: <Label extends string>({
      name,
      help,
      labels = [],
      buckets,
    }: Declaration<Label> & { buckets: number[] }) =>
      new Histogram<Label>({ name, help, labelNames: labels, buckets, registers }),
    /** A histogram for hot paths: returns a function that adds a series and returns its observer, in seconds. */
    durations: ({ name, help, buckets }: Declaration<never> & { buckets: readonly number[] }) =>
      createDurationHistogram(registry, name, help, buckets),
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
