import type { Used } from './normal-user.ts'
import type { Sample } from './resources.ts'

/** The percentile of the values, with `part` from 0 to 1. */
export const percentile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

export const thirdsOf = <Item>(items: readonly Item[]): Item[][] => {
  const third = Math.ceil(items.length / 3)
  return [0, 1, 2].map((part) => items.slice(part * third, (part + 1) * third))
}

const median = (values: readonly number[]) => percentile(values, 0.5)

const shown = (times: readonly number[]) =>
  `p50 ${percentile(times, 0.5).toFixed(1)}, p95 ${percentile(times, 0.95).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)}, max ${Math.max(...times).toFixed(1)} ms (${times.length})`

const minuteOf = (at: number, began: number) => Math.floor((at - began) / 60_000)

/** Latencies of the user by kind of page, in total and per minute. */
export const latencyLines = (used: readonly Used[], began: number): string[] =>
  [...Map.groupBy(used, ({ what }) => what)].flatMap(([what, ofKind]) => [
    `  ${what.padEnd(10)} ${shown(ofKind.map(({ milliseconds }) => milliseconds))}`,
    ...[...Map.groupBy(ofKind, ({ beganAt }) => minuteOf(beganAt, began))].map(
      ([minute, inMinute]) => `    minute ${minute + 1}: ${shown(inMinute.map(({ milliseconds }) => milliseconds))}`,
    ),
  ])

/** Medians of megabytes and descriptors per minute, for processes that ran for the whole time. */
export const resourceLines = (samples: readonly Sample[], began: number): string[] =>
  lasting(samples).map((ofProcess) => {
    const minutes = [...Map.groupBy(ofProcess, ({ at }) => minuteOf(at, began)).values()]
    const parts = minutes.map((inMinute) => {
      const megabytes = median(inMinute.map((sample) => sample.megabytes))
      return `${megabytes.toFixed(0)}/${median(inMinute.map((sample) => sample.descriptors))}`
    })
    return `  ${(ofProcess[0]?.name ?? '').padEnd(28)} ${parts.join(' ')}`
  })

const lasting = (samples: readonly Sample[]): Sample[][] => {
  const first = samples[0]?.at ?? 0
  const length = (samples.at(-1)?.at ?? 0) - first
  return [...Map.groupBy(samples, ({ pid }) => pid).values()].filter(
    (ofProcess) =>
      (ofProcess[0]?.at ?? 0) < first + length / 6 && (ofProcess.at(-1)?.at ?? 0) > first + (length * 5) / 6,
  )
}

/** Allowed growth from the second to the last third of a run: a fraction plus an amount. */
const growth = { part: 0.1, megabytes: 64, descriptors: 16 }

/** Memory fluctuates around a level, so its median counts; of descriptors the minimum, because open connections add to the base. */
const levels = { megabytes: median, descriptors: (values: readonly number[]) => Math.min(...values) }

/** Processes whose memory or descriptors grow from the second to the last third of the run. */
export const growing = (samples: readonly Sample[]): string[] =>
  lasting(samples).flatMap((ofProcess) => {
    const [, second = [], last = []] = thirdsOf(ofProcess)
    return (['megabytes', 'descriptors'] as const).flatMap((what) => {
      const levelOf = (part: readonly Sample[]) => levels[what](part.map((sample) => sample[what]))
      const [was, is] = [levelOf(second), levelOf(last)]
      if (is <= was * (1 + growth.part) + growth[what]) return []
      return [`${ofProcess[0]?.name}: ${what} ${was.toFixed(0)} in the second third, ${is.toFixed(0)} in the last`]
    })
  })
