import { createAnomalyScoring } from '../src/scoring/score-anomalies.ts'
import { wholeRange } from '../src/scoring/source-range.ts'
import { makeLog, type SyntheticLog, type SyntheticLogOptions } from './synthetic-logs.ts'
import { withEngine } from './with-engine.ts'

export type OutOfPlaceFigures = {
  entries: number
  /** By kind of anomaly: how many there are, and how many were detected. */
  kinds: Map<string, { present: number; detected: number }>
  /** Detected files, and those among them without an anomaly. */
  detected: number
  falsePositives: number
  logs: number
  silencesDetected: number
  burstsDetected: number
  falseNodes: string[]
}

const never = new AbortController().signal
const sourceId = 'sample'

const findingsOf = ({ lines }: SyntheticLog) =>
  withEngine(async (engine) => {
    const file = await engine.ingestFile({ source: { sourceId, branch: null, tenantId: null }, reference: Date.now() })
    await file.push(Uint8Array.from(Buffer.from(`${lines.join('\n')}\n`)))
    await file.end()
    const [source] = await engine.sources({})
    if (!source) throw new Error('No entry of the synthetic log was read.')
    return (await createAnomalyScoring(engine)(wholeRange(source), never)).findings
  })

/** Detections of messages out of place and of changed machines in synthetic logs with such anomalies. */
export const measureOutOfPlace = async (
  seeds: readonly number[],
  options: Omit<SyntheticLogOptions, 'seed'>,
): Promise<OutOfPlaceFigures> => {
  const figures: OutOfPlaceFigures = {
    entries: 0,
    kinds: new Map(),
    detected: 0,
    falsePositives: 0,
    logs: seeds.length,
    silencesDetected: 0,
    burstsDetected: 0,
    falseNodes: [],
  }
  for (const seed of seeds) {
    const log = makeLog({ ...options, seed })
    const findings = await findingsOf(log)
    figures.entries += log.lines.length
    const outOfPlace = findings.filter(({ label }) => label === 'out_of_place')
    const detected = new Set(
      outOfPlace.flatMap(({ entry, also }) =>
        [entry, ...also].map(({ text }) => text.slice(text.lastIndexOf(' ') + 1)),
      ),
    )
    for (const { kind, file } of log.anomalies) {
      const known = figures.kinds.get(kind) ?? { present: 0, detected: 0 }
      figures.kinds.set(kind, { present: known.present + 1, detected: known.detected + (detected.has(file) ? 1 : 0) })
    }
    const anomalous = new Set(log.anomalies.map(({ file }) => file))
    figures.detected += detected.size
    figures.falsePositives += [...detected].filter((file) => !anomalous.has(file)).length
    for (const { label, subject } of findings) {
      if (label === 'node_silence' && subject === log.silent) figures.silencesDetected++
      else if (label === 'node_burst' && subject === log.loud) figures.burstsDetected++
      else if (label.startsWith('node_')) figures.falseNodes.push(`${label} of ${subject}`)
    }
  }
  return figures
}
