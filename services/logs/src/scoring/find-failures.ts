import { failureEvidence, probabilityOf } from './failure-evidence.ts'
import { type Anomaly, severityOfTemplate, type TemplateSeries } from './template-series.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** The context of a template adds to or subtracts from the logarithm of its odds. */
type Context = { weight: number; description: string }

/** A template that occurred in this share of the preceding stretches is usual for the source. */
const usualShares = [
  { share: 0.3, weight: -1.5, description: 'it is usual here' },
  { share: 0.05, weight: -0.7, description: 'it has occurred here now and then' },
] as const
const minHistoryBuckets = 12

const usualOf = (series: TemplateSeries, buckets: readonly number[]): Context | undefined => {
  // A source that is scored for the first time has no findings yet: its usual failures are reported once.
  if (series.judgedWhole || series.judgedFrom < minHistoryBuckets) return undefined
  const history = buckets.slice(0, series.judgedFrom)
  const share = history.filter((count) => count > 0).length / history.length
  if (share === 0) return { weight: 0.7, description: `it did not occur in ${series.judgedFrom} stretches before` }
  return usualShares.find((usual) => share >= usual.share)
}

const minClustered = 5
const clusteredShare = 0.3
const shareOfAll = 0.1

/** Failures are clustered: many entries of a template in one stretch that contains little else. */
const clusterOf = (
  series: TemplateSeries,
  totals: readonly number[],
  buckets: readonly number[],
): Context | undefined => {
  const all = sum(buckets)
  const max = Math.max(...buckets, 0)
  const everything = sum(totals)
  if (all < minClustered || series.bucketCount < minHistoryBuckets || everything === 0) return undefined
  const together = (totals[buckets.indexOf(max)] ?? 0) / everything
  return max / all >= clusteredShare && together <= shareOfAll
    ? { weight: 0.6, description: `${max} of ${all} came together` }
    : undefined
}

/** If this many templates fail, one more is weak evidence: some programs log errors constantly. */
const manyFailing = 20
const amongMany: Context = { weight: -0.7, description: 'many kinds of messages here do' }

/**
 * Templates whose level and wording report a fault, weighed against how usual they are in this source. The score is a probability: the evidence is
 * summed as logarithms of odds. No learning period is needed, so a source that fails from the start is reported, too.
 */
export const findFailures = (series: TemplateSeries): Anomaly[] => {
  const totals = new Array<number>(series.bucketCount).fill(0)
  for (const { buckets } of series.templates)
    buckets.forEach((count, bucket) => {
      totals[bucket] = (totals[bucket] ?? 0) + count
    })
  const from = series.judgedWhole ? 0 : series.judgedFrom
  const known = series.templates.map((template) => {
    const severity = severityOfTemplate(template)
    return { template, severity, evidence: failureEvidence(template.template, severity) }
  })
  const isNoisy = known.filter(({ evidence }) => evidence.logOdds > 0).length > manyFailing
  return known.flatMap(({ template, severity, evidence: { logOdds, because, isPlain } }) => {
    const count = sum(template.buckets.slice(from))
    if (count === 0) return []
    const around = [
      usualOf(series, template.buckets),
      clusterOf(series, totals, template.buckets),
      isNoisy && isPlain ? amongMany : undefined,
    ].filter((one) => one !== undefined)
    const score = probabilityOf(logOdds + sum(around.map(({ weight }) => weight)))
    return [
      {
        label: 'failure',
        templateId: template.templateId,
        template: template.template,
        score: Math.min(0.99, score),
        severity,
        bucket: from,
        buckets: series.bucketCount - from,
        count,
        reason: `${[because, ...around.map(({ description }) => description)].join('; ')}.`,
      },
    ]
  })
}
