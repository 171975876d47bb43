import type { Severity } from '../entries/severity-code.ts'
import { severities } from '../entries/severity-code.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'

/** Counts of the templates of one source per time bucket. */
export type TemplateSeries = {
  /** Start of the first bucket in epoch milliseconds, and the length of a bucket. */
  start: number
  bucketMilliseconds: number
  bucketCount: number
  /** The first bucket to judge; it and later ones are compared with those before. */
  judgedFrom: number
  /** Whether the source is scored as a whole, so that buckets before `judgedFrom` were not judged earlier. */
  judgedWhole: boolean
  /** Epoch milliseconds of the source's first and last entries. */
  firstTime: number
  lastTime: number
  templates: readonly TemplateCounts[]
}

/** An anomaly: a template in a bucket, or several templates together (`templateId` is null). */
export type Anomaly = {
  label: string
  templateId: string | null
  /** The text of the template. */
  template: string
  score: number
  severity: Severity | null
  bucket: number
  /** The number of buckets; 1 by default. */
  buckets?: number
  count: number
  reason: string
}

/** The most severe level that at least a tenth of a template's entries have. */
export const severityOfTemplate = ({ bySeverity }: Pick<TemplateCounts, 'bySeverity'>): Severity | null => {
  const all = bySeverity.reduce((sum, count) => sum + count, 0)
  return severities.find((_, index) => (bySeverity[index + 1] ?? 0) * 10 >= Math.max(1, all)) ?? null
}

/** Bucket lengths, in round numbers: a day of a busy source and a year of a quiet one have similar numbers of buckets. */
const bucketLengths = [1, 5, 10, 30, 60, 360, 1_440].map((minutes) => minutes * 60_000)
const maxBuckets = 300

export const bucketLengthFor = (span: number): number =>
  bucketLengths.find((length) => span / length <= maxBuckets) ?? Math.ceil(span / maxBuckets)
