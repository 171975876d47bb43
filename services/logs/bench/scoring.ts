import { sharedData } from '@trellis/test/support/shared-data'
import { minScore } from '../src/scoring/finding.ts'
import { type LabelledLog, labelledLogs } from './labelled-faults.ts'
import { labelledSets } from './loghub.ts'
import { type AnomalyFigure, measureAnomalies } from './measure-anomalies.ts'
import { measureOutOfPlace } from './measure-out-of-place.ts'
import { measureReading } from './measure-reading.ts'
import { measureSecurity } from './measure-scoring.ts'

const share = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(3))

const figure = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(3))
const figures = ({ averagePrecision, precision, recall }: AnomalyFigure['ours']): string =>
  `${figure(averagePrecision)} / ${figure(precision)} / ${figure(recall)}`

const describeLog = async (log: LabelledLog): Promise<string> => {
  const found = await measureAnomalies(log)
  const { kinds, kindsDetected, shareBefore, microseconds, microsecondsInSlices } = found
  return [
    `  ${log.name} (labels: ${log.labels}${log.isHeldOut ? '' : '; weights were tuned on it'}): base rate ${figure(found.baseRate)},`,
    `ours ${figures(found.ours)}, by level ${figures(found.byLevel)};`,
    `in slices ${kindsDetected} of ${kinds} kinds detected, at the median after ${figure(shareBefore)} of a kind's entries;`,
    `${microseconds.toFixed(0)} us an entry as a whole, ${microsecondsInSlices.toFixed(0)} in slices`,
  ].join(' ')
}

const describeAnomalies = async (): Promise<string[]> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) return ['anomalies: not measured, the shared samples are missing']
  const lines: string[] = []
  for (const log of labelledLogs(folder)) lines.push(await describeLog(log))
  return [
    'anomalies: average precision / precision / recall of entries about faults; the rules were written with knowledge of the templates of all these sets',
    ...lines,
  ]
}

const largeSource = 1_000_000
const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
const searchesOf = (sorted: readonly number[]): string =>
  `p50 ${quantile(sorted, 0.5)} ms, p95 ${quantile(sorted, 0.95)} ms`

/** The cost of scoring a large source as a whole: at most (with a minimum score of 0), and in regular use. */
const describeReading = async (): Promise<string[]> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) return []
  const samples = labelledSets(folder).flatMap(({ raw }) => raw.toString('latin1').split(/\r?\n/).filter(Boolean))
  const lines: string[] = []
  for (const min of [0, minScore]) {
    const found = await measureReading(samples, largeSource, min)
    lines.push(
      [
        `  of a day of ${found.entries} entries, ${found.findings} findings with score ${min} or more: ${found.scored} scored entries, read by ${found.searches} searches in`,
        `${found.processorMilliseconds.toFixed(0)} ms of processor time, ${found.milliseconds.toFixed(0)} ms elapsed; concurrent searches ${searchesOf(found.during)}, before ${searchesOf(found.before)}`,
      ].join(' '),
    )
  }
  return lines
}

/** Synthetic logs, generated with and without anomalies: numbers of files, and seeds. */
const syntheticLogs = [
  { files: 3_000, seeds: [1, 2, 3, 4, 5] },
  { files: 30_000, seeds: [1, 2] },
]
const syntheticNodes = 20

const describeOutOfPlace = async (): Promise<string[]> => {
  const lines: string[] = []
  for (const { files, seeds } of syntheticLogs)
    for (const withAnomalies of [true, false]) {
      const found = await measureOutOfPlace(seeds, { files, nodes: syntheticNodes, withAnomalies })
      const kinds = [...found.kinds]
        .map(([kind, { present, detected }]) => `${kind} ${detected} of ${present}`)
        .join(', ')
      lines.push(
        [
          `  out of place, ${found.logs} synthetic logs of ${(found.entries / found.logs).toFixed(0)} entries ${withAnomalies ? 'with' : 'without'} anomalies: ${kinds || 'none'};`,
          `${found.falsePositives} false positives among ${found.detected} detections; silences detected ${found.silencesDetected}, bursts ${found.burstsDetected}, other machines ${found.falseNodes.length}`,
        ].join(' '),
      )
    }
  return lines
}

/** Samples of systems without attacks. */
const withoutAttacks: ReadonlySet<string> = new Set(['BGL', 'HDFS', 'Hadoop', 'Zookeeper', 'Apache'])

const describeSecurity = async (): Promise<string[]> => {
  const cases = sharedData('logs', 'crowdsec')
  if (cases === undefined) return ['security: not measured, the shared cases are missing']
  const folder = sharedData('logs', 'loghub')
  const controls = (folder === undefined ? [] : labelledLogs(folder)).filter(({ name }) => withoutAttacks.has(name))
  const { attacks, found, missed, plain, plainFound, plainWrong, medianShareOfLines, ...rest } = await measureSecurity(
    cases,
    controls,
  )
  return [
    `security, CrowdSec cases: found ${found} of ${attacks} attack cases (recall ${share(found, attacks)}), at the median after ${medianShareOfLines} of a case's lines`,
    `  findings in ${plainFound.length} of ${plain} parser cases, some of which contain attacks: precision at least ${share(found, found + plainFound.length)}`,
    `  by our own reading ${plainFound.length - plainWrong.length} of those contain attacks: precision ${share(found + plainFound.length - plainWrong.length, found + plainFound.length)}; without: ${plainWrong.join(', ')}`,
    `  findings in ${rest.controls} entries of samples without attacks: ${rest.controlFindings.length} ${rest.controlFindings.join(', ')}; ${rest.microseconds.toFixed(0)} us an entry`,
    `  missed: ${missed.join(', ')}`,
    `  findings in parser cases: ${plainFound.join(', ')}`,
  ]
}

/** Figures of the scorers on labelled logs. */
export const describeScoring = async (): Promise<string[]> => [
  ...(await describeAnomalies()),
  ...(await describeReading()),
  ...(await describeOutOfPlace()),
  ...(await describeSecurity()),
]
