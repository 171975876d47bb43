import type { Anomaly, TemplateSeries } from './template-series.ts'

/** The oldest `limit` entries of a template, from bucket `from` up to but excluding bucket `to`. */
export type ReadRequest = { templateId: string; from: number; to: number; limit: number }

/** One search: all entries of several templates in these buckets, or the oldest `limit` of a single template. */
export type Reading = { templateIds: readonly string[]; from: number; to: number; limit: number }

/** Maximum numbers of entries that carry a score: per finding, and of a range in total; `min` is guaranteed to each finding regardless of the total. */
export type ReadingLimits = { each: number; together: number; min: number }

/** Maximum number of entries of one search, and of one template in one bucket that is read together with other templates. */
const maxAtOnce = 2_000
const maxOfOne = 500

type Counts = (templateId: string, from: number, to: number) => number

const countsOf = ({ templates }: TemplateSeries): Counts => {
  const sums = new Map(
    templates.map(({ templateId, buckets }) => {
      let sum = 0
      return [templateId, [0, ...buckets.map((count) => (sum += count))]] as const
    }),
  )
  return (templateId, from, to) => (sums.get(templateId)?.[to] ?? 0) - (sums.get(templateId)?.[from] ?? 0)
}

export const bucketsOf = ({ bucket, buckets = 1 }: Pick<Anomaly, 'bucket' | 'buckets'>) => ({
  from: bucket,
  to: bucket + buckets,
})

/** Whether another request reads all entries of this one anyway. */
const isCovered = (request: ReadRequest, by: ReadRequest, countIn: Counts): boolean =>
  request !== by &&
  request.templateId === by.templateId &&
  request.from >= by.from &&
  request.to <= by.to &&
  countIn(by.templateId, by.from, by.to) <= by.limit

/** Which entries to read for anomalies, sorted by score descending: each request spans the fewest buckets with enough entries, within the limits. */
export const readRequestsFor = (
  series: TemplateSeries,
  anomalies: readonly Pick<Anomaly, 'templateId' | 'bucket' | 'buckets'>[],
  { each, together, min }: ReadingLimits,
): ReadRequest[] => {
  const countIn = countsOf(series)
  const requested = anomalies.flatMap((anomaly): ReadRequest[] => {
    const { templateId } = anomaly
    return templateId === null ? [] : [{ templateId, ...bucketsOf(anomaly), limit: each }]
  })
  const needed = requested.filter(
    (request, index) =>
      !requested.some((other, otherIndex) => {
        const isSame = other.templateId === request.templateId && other.from === request.from && other.to === request.to
        return isSame ? otherIndex < index : isCovered(request, other, countIn)
      }),
  )
  let left = together
  return needed.flatMap((request) => {
    const limit = Math.max(min, Math.min(each, left))
    const enough = Math.min(limit, countIn(request.templateId, request.from, request.to))
    if (enough === 0) return []
    let to = request.from + 1
    while (countIn(request.templateId, request.from, to) < enough) to++
    left -= enough
    return [{ ...request, to, limit }]
  })
}

/** Splits templates into groups, each with no more entries than one search returns. */
const groupsOf = (templateIds: readonly string[], countOf: (templateId: string) => number): string[][] => {
  const groups: string[][] = []
  let remaining = 0
  for (const templateId of templateIds) {
    const count = countOf(templateId)
    if (count > remaining) {
      groups.push([])
      remaining = maxAtOnce
    }
    groups.at(-1)?.push(templateId)
    remaining -= count
  }
  return groups
}

/**
 * Plans few and short searches that read all requested entries, in time order: templates that are requested of adjacent buckets are read together.
 * A search scans all entries of its time range, and decompressing a text also decompresses the texts stored beside it.
 */
export const planReading = (series: TemplateSeries, requests: readonly ReadRequest[]): Reading[] => {
  const countIn = countsOf(series)
  const readings: Reading[] = []
  const together = (templateIds: readonly string[], from: number, to: number): Reading => ({
    templateIds,
    from,
    to,
    limit: templateIds.reduce((sum, templateId) => sum + countIn(templateId, from, to), 0),
  })
  let open = together([], 0, 0)
  const begin = (next: Reading) => {
    if (open.limit > 0) readings.push(open)
    open = next
  }
  for (let bucket = 0; bucket < series.bucketCount; bucket++) {
    const countOf = (templateId: string) => countIn(templateId, bucket, bucket + 1)
    const requested = requests.filter(
      ({ templateId, from, to }) => from <= bucket && bucket < to && countOf(templateId) > 0,
    )
    const few: string[] = []
    for (const { templateId, limit } of requested)
      if (countOf(templateId) <= maxOfOne) few.push(templateId)
      else readings.push({ templateIds: [templateId], from: bucket, to: bucket + 1, limit })
    if (few.length === 0) continue
    const longer = together([...new Set([...open.templateIds, ...few])], open.from, bucket + 1)
    if (open.limit > 0 && longer.limit <= maxAtOnce) open = longer
    else for (const group of groupsOf([...new Set(few)], countOf)) begin(together(group, bucket, bucket + 1))
  }
  begin(together([], 0, 0))
  return readings
}
