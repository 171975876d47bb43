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
    /** A value read whenever the metrics are: `read` is called then. */
    gauge: ({ name, help }: Declaration<never>, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      }),
    /** Values by label, read whenever the metrics are: what `read` gives then is all there is. */
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
    /** For the hottest paths: gives a function that makes a series, which is a function that observes seconds. */
    durations: ({ name, help, buckets }: Declaration<never> & { buckets: readonly number[] }) =>
      createDurationHistogram(registry, name, help, buckets),
    contentType: registry.contentType,
    render: () => registry.metrics(),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
