import type { Anomaly, TemplateSeries } from './template-series.ts'

/** The oldest so many entries of a kind of message, from one bucket up to but without another. */
export type Want = { templateId: string; from: number; to: number; limit: number }

/** Kinds of messages that are read by one search: all that they have in these buckets, or of a single one the oldest so many. */
export type Reading = { templateIds: readonly string[]; from: number; to: number; limit: number }

/** Entries that carry the score: of one finding, of all of a range together, and of a finding whatever the others had. */
export type ReadingLimits = { each: number; together: number; min: number }

/** Entries that one search gives, and those of a kind in one bucket that it is asked for together with others. */
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

/** Whether all that is wanted is read for another anyway. */
const isCovered = (want: Want, by: Want, countIn: Counts): boolean =>
  want !== by &&
  want.templateId === by.templateId &&
  want.from >= by.from &&
  want.to <= by.to &&
  countIn(by.templateId, by.from, by.to) <= by.limit

/** What is wanted for anomalies, the surest first: each in as few buckets as have enough, and no more than limits allow. */
export const wantsOf = (
  series: TemplateSeries,
  anomalies: readonly Pick<Anomaly, 'templateId' | 'bucket' | 'buckets'>[],
  { each, together, min }: ReadingLimits,
): Want[] => {
  const countIn = countsOf(series)
  const wanted = anomalies.flatMap((anomaly): Want[] => {
    const { templateId } = anomaly
    return templateId === null ? [] : [{ templateId, ...bucketsOf(anomaly), limit: each }]
  })
  const needed = wanted.filter(
    (want, index) =>
      !wanted.some((other, place) => {
        const isSame = other.templateId === want.templateId && other.from === want.from && other.to === want.to
        return isSame ? place < index : isCovered(want, other, countIn)
      }),
  )
  let left = together
  return needed.flatMap((want) => {
    const limit = Math.max(min, Math.min(each, left))
    const enough = Math.min(limit, countIn(want.templateId, want.from, want.to))
    if (enough === 0) return []
    let to = want.from + 1
    while (countIn(want.templateId, want.from, to) < enough) to++
    left -= enough
    return [{ ...want, to, limit }]
  })
}

/** Kinds in as many groups as it takes for none to have more than one search gives. */
const groupsOf = (templateIds: readonly string[], countOf: (templateId: string) => number): string[][] => {
  const groups: string[][] = []
  let room = 0
  for (const templateId of templateIds) {
    const count = countOf(templateId)
    if (count > room) {
      groups.push([])
      room = maxAtOnce
    }
    groups.at(-1)?.push(templateId)
    room -= count
  }
  return groups
}

/**
 * As few and as short searches as read all that is wanted, in the order of time: all kinds that are wanted of neighbouring buckets are read
 * together. A search costs a pass over all that is in its stretch, and a text is unpacked with those that lie beside it.
 */
export const planReading = (series: TemplateSeries, wants: readonly Want[]): Reading[] => {
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
    const wanted = wants.filter(({ templateId, from, to }) => from <= bucket && bucket < to && countOf(templateId) > 0)
    const few: string[] = []
    for (const { templateId, limit } of wanted)
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
