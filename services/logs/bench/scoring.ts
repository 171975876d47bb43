import { sharedData } from '../../../test/support/shared-data.ts'
import { type LabelledLog, labelledLogs } from './labelled-faults.ts'
import { type AnomalyFigure, measureAnomalies } from './measure-anomalies.ts'
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
  ...(await describeSecurity()),
]
