/** `npm run bench` measures this machine and prints the figures with the machine and the versions. `npm run bench -- edge` runs one part. */
import { machineLines } from './machine.ts'

/** Loaded lazily, so that no part is measured with the others in memory. */
const parts: Record<string, () => Promise<string[]> | AsyncIterable<string[]>> = {
  start: async () => (await import('./start.ts')).benchStart(),
  edge: async () => (await import('./edge.ts')).benchEdge(),
  streams: async () => (await import('./streams.ts')).benchStreams(),
  'idle-streams': async () => (await import('./idle-streams.ts')).benchIdleStreams(),
  listings: async function* () {
    yield await (await import('./pages.ts')).benchPages()
    yield* (await import('./searches.ts')).benchSearches()
    yield await (await import('./listings-data.ts')).benchImport()
    yield await (await import('./listings-data.ts')).benchLookups()
    yield await (await import('./monitors.ts')).benchMonitors()
  },
  logs: async function* () {
    yield* (await import('./logs.ts')).benchLogs()
  },
  'logs-soak': async () => (await import('./logs-soak.ts')).benchSoak(),
  'music-analysis': async function* () {
    yield* (await import('./music.ts')).benchAnalysis()
  },
  'music-recombination': async function* () {
    yield* (await import('./music.ts')).benchRecombination()
  },
  'music-speed': async function* () {
    yield* (await import('./music.ts')).benchSpeed()
  },
  'music-stems': async function* () {
    yield* (await import('./separation.ts')).benchSeparation()
  },
  web: async function* () {
    yield* (await import('./web.ts')).benchWeb()
  },
  distributed: async () => (await import('./distributed.ts')).benchDistributed(),
  files: async () => (await import('./files.ts')).benchFiles(),
  bus: async () => (await import('./bus.ts')).benchBus(),
  operator: async function* () {
    yield* (await import('./operator.ts')).benchOperator()
  },
}

/** Run only on request, because they need servers that not every machine has, take long, or are part of another. */
const onRequest = new Set(['distributed', 'operator', 'logs-soak'])

/** A name also selects the parts that begin with it: `music` all of music. */
const partsOf = (name: string): string[] =>
  Object.hasOwn(parts, name) ? [name] : Object.keys(parts).filter((part) => part.startsWith(`${name}-`))

const named = process.argv.slice(2)
const unknown = named.find((name) => partsOf(name).length === 0)
if (unknown !== undefined) {
  process.stderr.write(`There is no bench "${unknown}". There are: ${Object.keys(parts).join(', ')}.\n`)
  process.exit(1)
}
const selected = named.flatMap(partsOf)

const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`)

print(machineLines(`npm run bench${named.length > 0 ? ` -- ${named.join(' ')}` : ''}`))
for (const [name, measure] of Object.entries(parts)) {
  if (selected.length > 0 ? !selected.includes(name) : onRequest.has(name)) continue
  print(['', `## ${name}`])
  const measured = measure()
  if ('then' in measured) print(await measured)
  else for await (const lines of measured) print(lines)
}
