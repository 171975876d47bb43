import { sharedData } from '../../../test/support/shared-data.ts'
import { measureAnomalies, measureSecurity } from './measure-scoring.ts'

const share = (part: number, whole: number) => (whole === 0 ? '-' : (part / whole).toFixed(3))

const describeAnomalies = async (): Promise<string[]> => {
  const sample = sharedData('logs', 'loghub', 'BGL', 'BGL_2k.log.gz')
  if (sample === undefined) return ['anomalies: not measured, the shared samples are not beside the checkout']
  const { alerts, flagged, hit, milliseconds, labels } = await measureAnomalies(sample)
  return [
    `anomalies, BGL sample: precision ${share(hit, flagged)} (${hit} of ${flagged} flagged entries are alerts), recall ${share(hit, alerts)} of ${alerts}, ${milliseconds} ms`,
    `  findings: ${JSON.stringify(labels)}`,
  ]
}

const describeSecurity = async (): Promise<string[]> => {
  const cases = sharedData('logs', 'crowdsec')
  if (cases === undefined) return ['security: not measured, the shared cases are not beside the checkout']
  const { attacks, found, missed, plain, plainFound, medianShareOfLines } = await measureSecurity(cases)
  return [
    `security, CrowdSec cases: found ${found} of ${attacks} attack cases (recall ${share(found, attacks)}), at ${medianShareOfLines} of a case's lines by the median`,
    `  something was found in ${plainFound.length} of ${plain} cases of parsers, some of which hold attacks, too: precision at least ${share(found, found + plainFound.length)}`,
    `  missed: ${missed.join(', ')}`,
    `  found in parsers' cases: ${plainFound.join(', ')}`,
  ]
}

/** What the scorers find in labelled logs, and what they miss. */
export const describeScoring = async (): Promise<string[]> => [
  ...(await describeAnomalies()),
  ...(await describeSecurity()),
]
