import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

const product = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

/** What the figures were measured on and with, as the first lines of every bench. */
export const machineLines = (command: string): string[] => [
  `command: ${command}`,
  `machine: ${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
  `versions: Trellis ${product.version}, Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? '-'}, zstd ${process.versions.zstd ?? '-'}`,
]

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const round = (value: number, digits = 0): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits })
