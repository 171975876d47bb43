import { type MonitorFigures, measureMonitors } from '../../services/listings/bench/monitors.ts'
import { round } from './machine.ts'

const due = 10_000
const seconds = 20
const cores = 2

const lineOf = ({ atOnce, ran, failed, seconds: elapsed, perSecond, cpuPerRun }: MonitorFigures): string => {
  const cpu = cpuPerRun === undefined ? '' : `, ${round(cpuPerRun)} ms of CPU each`
  return `  ${atOnce} at once: ${ran} runs in ${round(elapsed, 1)} s (${failed} failed), ${round(perSecond, 2)} a second${cpu}; at this pace ${round(perSecond * 3600)} an hour`
}

/** What the CPU time of a run allows for on cores that do nothing else. An extrapolation: waiting for a marketplace comes on top. */
const limitOf = (figures: readonly MonitorFigures[]): readonly string[] => {
  const [least] = figures.flatMap(({ cpuPerRun }) => cpuPerRun ?? []).toSorted((a, b) => a - b)
  if (least === undefined) return []
  const anHour = (cores * 3_600_000) / least
  return [
    `  extrapolated from the CPU time: ${cores} cores with nothing else to do run ${round(anHour)} monitors an hour, ${due} need ${round((due * least) / 1000 / cores / 60, 1)} minutes of them`,
  ]
}

/** Measures monitors of which more are due than can run in the measured time. */
export const benchMonitors = async (): Promise<string[]> => {
  const figures: MonitorFigures[] = []
  for (const atOnce of [2, 4]) figures.push(await measureMonitors({ due, atOnce, seconds }))
  const [first] = figures
  return [
    `monitors of the demo marketplace, on SQLite, ${due} due at once; first runs, so every listing and seller is new, and no pause between requests:`,
    ...figures.map(lineOf),
    ...limitOf(figures),
    `  the next due ones are found in ${round(first?.selectMilliseconds ?? 0, 2)} ms`,
  ]
}
