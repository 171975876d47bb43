import { documentsOf } from '../segments/bitmap.ts'
import { numberAt } from '../segments/number-column.ts'
import type { Part } from '../segments/part.ts'
import { severityAt } from '../segments/severity-column.ts'

/** Counts and times of a part's entries by the number of their template; `bySeverity` has four elements per template. */
export type PartCounts = {
  counts: Uint32Array
  bySeverity: Uint32Array
  firstTimes: Float64Array
  lastTimes: Float64Array
}

/** Calls `visit` for each document with the number of its template, the code of its severity, and its time. */
export const eachTemplate = async (
  part: Part,
  documents: Uint32Array,
  visit: (template: number, severity: number, time: number) => void,
): Promise<void> => {
  const [{ times }, severities, templateOf] = await Promise.all([part.times(), part.severities(), part.templateOf()])
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0
    visit(templateOf[document] ?? 0, severityAt(severities, document), numberAt(times, document))
  }
}

/** Caches counts by part: a part is immutable, and an amendment creates another one. */
const known = new WeakMap<Part, PartCounts>()

/** Counts the visible entries of a part without filters. Its compressed columns are only read on the first call. */
export const countPart = async (part: Part): Promise<PartCounts> => {
  const before = known.get(part)
  if (before) return before
  const { length } = part.templates
  const made: PartCounts = {
    counts: new Uint32Array(length),
    bySeverity: new Uint32Array(length * 4),
    firstTimes: new Float64Array(length).fill(Number.POSITIVE_INFINITY),
    lastTimes: new Float64Array(length).fill(Number.NEGATIVE_INFINITY),
  }
  const { counts, bySeverity, firstTimes, lastTimes } = made
  const visible = await part.visible()
  const documents = visible ? documentsOf(visible) : Uint32Array.from({ length: part.documents }, (_, at) => at)
  await eachTemplate(part, documents, (template, severity, time) => {
    counts[template] = (counts[template] ?? 0) + 1
    bySeverity[template * 4 + severity] = (bySeverity[template * 4 + severity] ?? 0) + 1
    if (time < (firstTimes[template] ?? 0)) firstTimes[template] = time
    if (time > (lastTimes[template] ?? 0)) lastTimes[template] = time
  })
  known.set(part, made)
  return made
}
