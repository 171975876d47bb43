import { cpus } from 'node:os'
import { sharedData } from '../../../test/support/shared-data.ts'
import { makeCorpus } from './corpus.ts'
import { measureLogs } from './measure.ts'
import { printTemplates } from './templates.ts'

/** `node services/logs/bench/main.ts [lines]`: figures of the log engine against their targets. */
const corpus = makeCorpus(Number(process.argv[2] ?? 1_000_000), sharedData('logs', 'loghub'))
const print = (line: string) => process.stdout.write(`${line}\n`)

print(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`)
print(`Corpus: ${corpus.describe}`)
const figures = await measureLogs(corpus)
const against = (value: number, target: number) => `${(value / target).toFixed(2)} of the target ${target}`
print(
  `ingest, raw text to searchable   ${figures.linesPerSecond} lines/s (${against(figures.linesPerSecond, 120_000)})`,
)
print(
  `disk                             ${figures.megabytesPerMillionLines} MB per 1 M lines (${against(figures.megabytesPerMillionLines, 100)})`,
)
print(`search, top 50 with facets       p50 ${figures.p50} ms, p95 ${figures.p95} ms (${against(figures.p95, 30)})`)
for (const { query, total, p50, p95 } of figures.searches)
  print(`  ${query.padEnd(32)} ${String(total).padStart(8)} hits  p50 ${p50} ms  p95 ${p95} ms`)
await printTemplates(print)
print(`resident, corpus included        ${figures.residentMegabytes} MB`)
