import { failureEvidence, probabilityOf } from './failure-evidence.ts'
import { type Anomaly, severityOfTemplate, type TemplateSeries } from './template-series.ts'

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** What stands around a kind of message adds to or takes from the logarithm of its odds. */
type Surroundings = { weight: number; says: string }

/** A message that came in so large a share of the stretches before is the usual company here. */
const usualShares = [
  { share: 0.3, weight: -1.5, says: 'it is usual here' },
  { share: 0.05, weight: -0.7, says: 'it has come here now and then' },
] as const
const minHistoryBuckets = 12

const usualOf = (series: TemplateSeries, buckets: readonly number[]): Surroundings | undefined => {
  // Of a source that is looked at for the first time, nothing has been told yet: its usual failures are told of once.
  if (series.judgedWhole || series.judgedFrom < minHistoryBuckets) return undefined
  const history = buckets.slice(0, series.judgedFrom)
  const share = history.filter((count) => count > 0).length / history.length
  if (share === 0) return { weight: 0.7, says: `it was not here in ${series.judgedFrom} stretches before` }
  return usualShares.find((usual) => share >= usual.share)
}

const minClustered = 5
const clusteredShare = 0.3
const shareOfAll = 0.1

/** Failures come together: so many of a kind in one stretch that holds little of everything else. */
const clusterOf = (
  series: TemplateSeries,
  totals: readonly number[],
  buckets: readonly number[],
): Surroundings | undefined => {
  const all = sum(buckets)
  const max = Math.max(...buckets, 0)
  const everything = sum(totals)
  if (all < minClustered || series.bucketCount < minHistoryBuckets || everything === 0) return undefined
  const together = (totals[buckets.indexOf(max)] ?? 0) / everything
  return max / all >= clusteredShare && together <= shareOfAll
    ? { weight: 0.6, says: `${max} of ${all} came together` }
    : undefined
}

/** Where so many kinds fail, that one more does says little: some programs complain all day. */
const manyFailing = 20
const amongMany: Surroundings = { weight: -0.7, says: 'many kinds of messages here do' }

/**
 * Kinds of messages whose level and wording tell of a fault, weighed against how usual they are in this source: the score is the probability,
 * its evidence added up as logarithms of odds. Needs no time to learn, so that a source that fails from the start is told of, too.
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
        reason: `${[because, ...around.map(({ says }) => says)].join('; ')}.`,
      },
    ]
  })
}
