import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

const product = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

const paceRows = Array.from({ length: 1_000 }, (_, at) => ({ at, name: `row ${at}`, rest: [at, at / 3, null, true] }))
/** Rounds of the rows that make 10 MB of JSON. */
const paceRounds = 156

const runPace = (rounds: number): void => {
  for (let round = 0; round < rounds; round += 1) JSON.parse(JSON.stringify(paceRows))
}

/** Milliseconds to write and read 10 MB of JSON, best of five. Machines of one model differ in speed, and one machine from hour to hour. */
const paceOf = (): number => {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now()
    runPace(paceRounds)
    return performance.now() - began
  })
  return Math.min(...times)
}

/**
 * Processor milliseconds of this thread to write and read 10 MB of JSON, from a quarter of them: for sampling the pace beside a
 * measurement, when elapsed time would include that of others.
 */
export const samplePace = (): number => {
  const before = process.threadCpuUsage()
  runPace(paceRounds / 4)
  const { user, system } = process.threadCpuUsage(before)
  return (4 * (user + system)) / 1_000
}

/** The first lines of every bench: command, machine, its speed, and versions. */
export const machineLines = (command: string): string[] => [
  `command: ${command}`,
  `machine: ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
  `pace: ${round(paceOf())} ms to write and read 10 MB of JSON`,
  `versions: Trellis ${product.version}, Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? '-'}, zstd ${process.versions.zstd ?? '-'}`,
]

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const round = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })
