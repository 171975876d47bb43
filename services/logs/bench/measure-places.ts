import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { wholeRange } from '../src/scoring/source-range.ts'
import { type MadeLog, type MadeOptions, makePlaces } from './made-places.ts'
import { withEngine } from './with-engine.ts'

export type PlaceFigures = {
  entries: number
  /** By what went wrong: how often it did, and how often it was told of. */
  kinds: Map<string, { there: number; told: number }>
  /** Files that were told of, and those of them with which nothing is wrong. */
  told: number
  wrong: number
  logs: number
  silencesTold: number
  burstsTold: number
  nodesWrong: string[]
}

const never = new AbortController().signal
const sourceId = 'sample'

const findingsOf = ({ lines }: MadeLog) =>
  withEngine(async (engine) => {
    const file = await engine.ingestFile({ source: { sourceId, branch: null, tenantId: null }, reference: Date.now() })
    await file.push(Uint8Array.from(Buffer.from(`${lines.join('\n')}\n`)))
    await file.end()
    const [source] = await engine.sources({})
    if (!source) throw new Error('Nothing was read of the made log.')
    return (await createAnomalyScoring(engine)(wholeRange(source), never)).findings
  })

/** What is told of kinds of messages out of place and of machines that changed, in logs that are made with some of both. */
export const measurePlaces = async (
  seeds: readonly number[],
  options: Omit<MadeOptions, 'seed'>,
): Promise<PlaceFigures> => {
  const figures: PlaceFigures = {
    entries: 0,
    kinds: new Map(),
    told: 0,
    wrong: 0,
    logs: seeds.length,
    silencesTold: 0,
    burstsTold: 0,
    nodesWrong: [],
  }
  for (const seed of seeds) {
    const log = makePlaces({ ...options, seed })
    const findings = await findingsOf(log)
    figures.entries += log.lines.length
    const outOfPlace = findings.filter(({ label }) => label === 'out_of_place')
    const told = new Set(
      outOfPlace.flatMap(({ entry, also }) =>
        [entry, ...also].map(({ text }) => text.slice(text.lastIndexOf(' ') + 1)),
      ),
    )
    for (const { kind, file } of log.oddities) {
      const known = figures.kinds.get(kind) ?? { there: 0, told: 0 }
      figures.kinds.set(kind, { there: known.there + 1, told: known.told + (told.has(file) ? 1 : 0) })
    }
    const odd = new Set(log.oddities.map(({ file }) => file))
    figures.told += told.size
    figures.wrong += [...told].filter((file) => !odd.has(file)).length
    for (const { label, subject } of findings) {
      if (label === 'node_silence' && subject === log.silent) figures.silencesTold++
      else if (label === 'node_burst' && subject === log.loud) figures.burstsTold++
      else if (label.startsWith('node_')) figures.nodesWrong.push(`${label} of ${subject}`)
    }
  }
  return figures
}
