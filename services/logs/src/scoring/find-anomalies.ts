import { counted, nounFor } from '../counted.ts'
import { lengthOfTime } from '../length-of-time.ts'
import type { TemplateCounts } from '../templates/count-templates.ts'
import { burstsOf, certaintyOf, scoreOfSilence, silenceOf } from './count-changes.ts'
import { findFailures } from './find-failures.ts'
import { surpriseOf } from './rate-of-new.ts'
import { type Anomaly, severityOfTemplate, type TemplateSeries } from './template-series.ts'
import { worthOf, worthOfBurst } from './weigh-template.ts'

/** Minimum number of preceding entries for anything to be compared with them. */
const minHistoryEntries = 100

const bucketOf = (series: TemplateSeries, time: number): number =>
  Math.floor((time - series.start) / series.bucketMilliseconds)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const historyOf = (series: TemplateSeries): number =>
  sum(series.templates.map(({ buckets }) => sum(buckets.slice(0, series.judgedFrom))))

/**
 * 0 to 1: how surprising a template is that this source never had. The more often new templates arrive there anyway, the less surprising it is: the
 * share of entries whose template was seen once estimates the probability that the next one is new (Good, "The Population Frequencies of Species", 1953).
 */
const surpriseOfNew = (series: TemplateSeries): number => {
  const known = series.templates.filter(({ firstSeen }) => bucketOf(series, firstSeen) < series.judgedFrom)
  const seenBefore = historyOf(series)
  if (seenBefore < minHistoryEntries) return 0
  const once = known.filter(({ buckets }) => sum(buckets.slice(0, series.judgedFrom)) === 1).length
  return surpriseOf({ count: seenBefore, once })
}

/** Templates that this source never had. */
export const findNew = (series: TemplateSeries): Anomaly[] => {
  const surprise = surpriseOfNew(series)
  const seenBefore = historyOf(series)
  if (surprise === 0) return []
  return series.templates.flatMap((template) => {
    const bucket = bucketOf(series, template.firstSeen)
    if (bucket < series.judgedFrom) return []
    return [
      {
        label: 'new_template',
        templateId: template.templateId,
        template: template.template,
        score: worthOf(template) * surprise,
        severity: severityOfTemplate(template),
        bucket,
        count: template.count,
        reason: `A kind of message that ${counted(seenBefore, 'entry', 'entries')} before did not have.`,
      },
    ]
  })
}

const stretchOf = ({ bucketMilliseconds }: TemplateSeries): string => lengthOfTime(bucketMilliseconds)

const usually = (mean: number): string =>
  `${mean < 1 ? mean.toFixed(2) : mean.toFixed(0)} ${nounFor(Math.round(mean), 'was', 'were')} usual`

/** Templates that occur far more often than before. */
export const findBursts = (series: TemplateSeries): Anomaly[] => {
  const surprise = surpriseOfNew(series)
  return series.templates.flatMap((template) =>
    burstsOf(template.buckets, series.judgedFrom).map(({ bucket, count, mean, deviation }) => ({
      label: 'burst',
      templateId: template.templateId,
      template: template.template,
      // If new templates arrive constantly, many entries of one are as unsurprising as a single one.
      score: Math.min(0.99, certaintyOf(deviation) * worthOfBurst(template) * (mean === 0 ? surprise : 1)),
      severity: severityOfTemplate(template),
      bucket,
      count,
      reason: `${counted(count, 'time')} in ${stretchOf(series)}, where ${usually(mean)}.`,
    })),
  )
}

const errorsOf = ({ bySeverity, count, buckets }: TemplateCounts): number[] => {
  // Counts are by bucket or by level, not both: a template nearly always has one level.
  const share = count === 0 ? 0 : ((bySeverity[1] ?? 0) + (bySeverity[2] ?? 0)) / count
  return share >= 0.5 ? buckets : buckets.map(() => 0)
}

/** Bursts of errors, whatever their templates. */
export const findErrorClusters = (series: TemplateSeries): Anomaly[] => {
  const totals = new Array<number>(series.bucketCount).fill(0)
  const kinds = new Array<number>(series.bucketCount).fill(0)
  for (const template of series.templates)
    errorsOf(template).forEach((count, bucket) => {
      totals[bucket] = (totals[bucket] ?? 0) + count
      if (count > 0) kinds[bucket] = (kinds[bucket] ?? 0) + 1
    })
  return burstsOf(totals, series.judgedFrom).map(({ bucket, count, mean, deviation }) => ({
    label: 'error_cluster',
    templateId: null,
    template: '',
    score: Math.min(0.99, certaintyOf(deviation)),
    severity: 'ERROR',
    bucket,
    count,
    reason: `${counted(count, 'error')} of ${counted(kinds[bucket] ?? 0, 'kind')} in ${stretchOf(series)}, where ${usually(mean)}.`,
  }))
}

/** Templates that occurred regularly and have stopped while their source continues. */
export const findSilences = (series: TemplateSeries): Anomaly[] => {
  const end = Math.min(series.bucketCount, bucketOf(series, series.lastTime))
  return series.templates.flatMap((template) => {
    const last = bucketOf(series, template.lastSeen)
    const first = Math.max(0, bucketOf(series, template.firstSeen))
    const silence = silenceOf(template.buckets, { first, last, end, judgedFrom: series.judgedFrom })
    if (!silence) return []
    const { share, count, expected, silent } = silence
    return [
      {
        label: 'silence',
        templateId: template.templateId,
        template: template.template,
        score: scoreOfSilence(expected),
        severity: 'WARN',
        bucket: last,
        count,
        reason: `Came in ${Math.round(share * 100)} % of the stretches of ${stretchOf(series)}, and not in the last ${silent}.`,
      } satisfies Anomaly,
    ]
  })
}

const minForRare = 1_000
const rareShare = 0.001
const maxRare = 3

/** Warnings or worse with a template that is rare in this source. New templates are left to `findNew`. */
export const findRare = (series: TemplateSeries): Anomaly[] => {
  const all = sum(series.templates.map(({ count }) => count))
  if (all < minForRare) return []
  return series.templates.flatMap((template) => {
    const severity = severityOfTemplate(template)
    const bucket = bucketOf(series, template.lastSeen)
    const isNew = bucketOf(series, template.firstSeen) >= series.judgedFrom
    if (severity === null || isNew || bucket < series.judgedFrom) return []
    if (template.count > maxRare || template.count / all > rareShare) return []
    return [
      {
        label: 'rare_here',
        templateId: template.templateId,
        template: template.template,
        score: worthOf(template) * Math.min(1, Math.log10(all / template.count) / 5),
        severity,
        bucket,
        count: template.count,
        reason: `${template.count} of ${all} entries of this source ${nounFor(template.count, 'is', 'are')} of this kind.`,
      },
    ]
  })
}

/** All anomalies, of every detector. */
export const findAnomalies = (series: TemplateSeries): Anomaly[] => [
  ...findFailures(series),
  ...findNew(series),
  ...findBursts(series),
  ...findErrorClusters(series),
  ...findSilences(series),
  ...findRare(series),
]
