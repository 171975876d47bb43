import type { Severity } from '../entries/severity-code.ts'
import { severities } from '../entries/severity-code.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'

/** How often the kinds of messages of one source came, bucket by bucket. */
export type TemplateSeries = {
  /** Epoch milliseconds at which the first bucket begins, and how long each is. */
  start: number
  bucketMilliseconds: number
  bucketCount: number
  /** The first bucket that is to be judged; those before are what it is compared with. */
  judgedFrom: number
  /** Whether the source is looked at as a whole, so that what is before `judgedFrom` has not been judged earlier. */
  judgedWhole: boolean
  /** Epoch milliseconds of the source's first and last entries. */
  firstTime: number
  lastTime: number
  templates: readonly TemplateCounts[]
}

/** What stands out: a kind of message (none: several together) in a bucket. */
export type Anomaly = {
  label: string
  templateId: string | null
  /** Of the message, without what differs. */
  template: string
  score: number
  severity: Severity | null
  bucket: number
  /** So many buckets from that one on; one where it is not told. */
  buckets?: number
  count: number
  reason: string
}

/** The worst level that at least a tenth of a template's entries have. */
export const severityOfTemplate = ({ bySeverity }: Pick<TemplateCounts, 'bySeverity'>): Severity | null => {
  const all = bySeverity.reduce((sum, count) => sum + count, 0)
  return severities.find((_, index) => (bySeverity[index + 1] ?? 0) * 10 >= Math.max(1, all)) ?? null
}

/** Buckets that a day of a busy source and a year of a quiet one are cut into alike; a length that a person would choose. */
const bucketLengths = [1, 5, 10, 30, 60, 360, 1_440].map((minutes) => minutes * 60_000)
const maxBuckets = 300

export const bucketLengthFor = (span: number): number =>
  bucketLengths.find((length) => span / length <= maxBuckets) ?? Math.ceil(span / maxBuckets)
