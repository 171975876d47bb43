import { sharedData } from '@trellis/test/support/shared-data'
import { minScore } from '../src/scoring/finding.ts'
import { type LabelledLog, labelledLogs } from './labelled-faults.ts'
import { labelledSets } from './loghub.ts'
import { type AnomalyFigure, measureAnomalies } from './measure-anomalies.ts'
import { measurePlaces } from './measure-places.ts'
import { measureReading } from './measure-reading.ts'
import { measureSecurity } from './measure-scoring.ts'

const share = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(3))

const figure = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(3))
const figures = ({ averagePrecision, precision, recall }: AnomalyFigure['ours']): string =>
  `${figure(averagePrecision)} / ${figure(precision)} / ${figure(recall)}`

const describeLog = async (log: LabelledLog): Promise<string> => {
  const found = await measureAnomalies(log)
  const { kinds, kindsTold, cameBefore, microseconds, microsecondsInSlices } = found
  return [
    `  ${log.name} (labels: ${log.labels}${log.isHeldOut ? '' : '; weights were chosen with it at hand'}): base rate ${figure(found.baseRate)},`,
    `ours ${figures(found.ours)}, by level ${figures(found.byLevel)};`,
    `in slices ${kindsTold} of ${kinds} kinds told of, after ${figure(cameBefore)} of a kind's entries by the median;`,
    `${microseconds.toFixed(0)} us an entry as a whole, ${microsecondsInSlices.toFixed(0)} in slices`,
  ].join(' ')
}

const describeAnomalies = async (): Promise<string[]> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) return ['anomalies: not measured, the shared samples are not beside the checkout']
  const lines: string[] = []
  for (const log of labelledLogs(folder)) lines.push(await describeLog(log))
  return [
    'anomalies: average precision / precision / recall of entries about faults; the words were written after the kinds of all these sets had been read',
    ...lines,
  ]
}

const largeSource = 1_000_000
const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
const searchesOf = (sorted: readonly number[]): string =>
  `p50 ${quantile(sorted, 0.5)} ms, p95 ${quantile(sorted, 0.95)} ms`

/** What a large source costs that is scored as a whole: with all that stands out however little, which is the most that any does, and as it is used. */
const describeReading = async (): Promise<string[]> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) return []
  const samples = labelledSets(folder).flatMap(({ raw }) => raw.toString('latin1').split(/\r?\n/).filter(Boolean))
  const lines: string[] = []
  for (const min of [0, minScore]) {
    const found = await measureReading(samples, largeSource, min)
    lines.push(
      [
        `  of a day of ${found.entries} entries ${found.findings} findings from ${min} on: ${found.scored} entries carry a score, read by ${found.searches} searches in`,
        `${found.processorMilliseconds.toFixed(0)} ms of processor time, ${found.milliseconds.toFixed(0)} ms with rests; searches meanwhile ${searchesOf(found.during)}, before ${searchesOf(found.before)}`,
      ].join(' '),
    )
  }
  return lines
}

/** Logs that are made, once with oddities and once without: of so many files, on so many machines, with these seeds. */
const madeLogs = [
  { files: 3_000, seeds: [1, 2, 3, 4, 5] },
  { files: 30_000, seeds: [1, 2] },
]
const madeNodes = 20

const describePlaces = async (): Promise<string[]> => {
  const lines: string[] = []
  for (const { files, seeds } of madeLogs)
    for (const withOddities of [true, false]) {
      const found = await measurePlaces(seeds, { files, nodes: madeNodes, withOddities })
      const kinds = [...found.kinds].map(([kind, { there, told }]) => `${kind} ${told} of ${there}`).join(', ')
      lines.push(
        [
          `  out of place, ${found.logs} made logs of ${(found.entries / found.logs).toFixed(0)} entries ${withOddities ? 'with' : 'without'} oddities: ${kinds || 'nothing is there'};`,
          `${found.wrong} of ${found.told} that were told of wrongly; silences told ${found.silencesTold}, bursts ${found.burstsTold}, of other machines ${found.nodesWrong.length}`,
        ].join(' '),
      )
    }
  return lines
}

/** Samples of systems that nobody attacks. */
const withoutAttacks: ReadonlySet<string> = new Set(['BGL', 'HDFS', 'Hadoop', 'Zookeeper', 'Apache'])

const describeSecurity = async (): Promise<string[]> => {
  const cases = sharedData('logs', 'crowdsec')
  if (cases === undefined) return ['security: not measured, the shared cases are not beside the checkout']
  const folder = sharedData('logs', 'loghub')
  const controls = (folder === undefined ? [] : labelledLogs(folder)).filter(({ name }) => withoutAttacks.has(name))
  const { attacks, found, missed, plain, plainFound, plainWrong, medianShareOfLines, ...rest } = await measureSecurity(
    cases,
    controls,
  )
  return [
    `security, CrowdSec cases: found ${found} of ${attacks} attack cases (recall ${share(found, attacks)}), at ${medianShareOfLines} of a case's lines by the median`,
    `  something was found in ${plainFound.length} of ${plain} cases of parsers, some of which hold attacks, too: precision at least ${share(found, found + plainFound.length)}`,
    `  by our own reading ${plainFound.length - plainWrong.length} of those hold attacks: precision ${share(found + plainFound.length - plainWrong.length, found + plainFound.length)}; without: ${plainWrong.join(', ')}`,
    `  found in ${rest.controls} entries of samples without attacks: ${rest.controlFindings.length} ${rest.controlFindings.join(', ')}; ${rest.microseconds.toFixed(0)} us an entry`,
    `  missed: ${missed.join(', ')}`,
    `  found in parsers' cases: ${plainFound.join(', ')}`,
  ]
}

/** What the scorers find in labelled logs, and what they miss. */
export const describeScoring = async (): Promise<string[]> => [
  ...(await describeAnomalies()),
  ...(await describeReading()),
  ...(await describePlaces()),
  ...(await describeSecurity()),
]
