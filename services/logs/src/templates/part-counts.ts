import { documentsOf } from '../segments/bitmap.ts'
import { numberAt } from '../segments/number-column.ts'
import type { Part } from '../segments/part.ts'
import { severityAt } from '../segments/severity-column.ts'

/** What the entries of a part come to by the number of their template; `bySeverity` has four places for each. */
export type PartCounts = {
  counts: Uint32Array
  bySeverity: Uint32Array
  firstTimes: Float64Array
  lastTimes: Float64Array
}

/** Calls back for each of the documents with the number of its template, its severity's code and its time. */
export const eachTemplate = async (
  part: Part,
  documents: Uint32Array,
  tell: (template: number, severity: number, time: number) => void,
): Promise<void> => {
  const [{ times }, severities, templateOf] = await Promise.all([part.times(), part.severities(), part.templateOf()])
  for (let index = 0; index < documents.length; index++) {
    const document = documents[index] ?? 0
    tell(templateOf[document] ?? 0, severityAt(severities, document), numberAt(times, document))
  }
}

/** A part never changes, and what is laid over it makes another: what was counted once holds for as long as it is there. */
const known = new WeakMap<Part, PartCounts>()

/** All that may be seen of a part, whatever filters say. Its columns, which have to be unpacked, are read the first time alone. */
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
