import { setImmediate } from 'node:timers/promises'
import { createBatchBuilder } from '../entries/batch-builder.ts'
import type { StoredEntry } from '../entries/entry.ts'
import { decodeBatch, type EntryBatch } from '../entries/entry-batch.ts'
import { severityCode } from '../entries/severity-code.ts'
import type { BatchAnalysis } from './batch-analysis.ts'
import { type Bitmap, hasBit } from './bitmap.ts'
import type { SegmentRow } from './catalogue.ts'
import type { MemoryIndex, MemoryIndexLimits } from './memory-index.ts'
import type { Part } from './part.ts'

/** Minimum number of small segments that are worth a merge. */
const minMerged = 4
const entriesPerStep = 500

/** The segments to merge now: the smallest ones, each at most a quarter of the segment limits, together within them. */
export const chooseForMerge = (rows: readonly SegmentRow[], limits: MemoryIndexLimits): SegmentRow[] => {
  const small = rows
    .filter((row) => row.documents <= limits.documents / 4)
    .toSorted((a, b) => a.documents - b.documents)
  const chosen: SegmentRow[] = []
  let documents = 0
  let textBytes = 0
  for (const row of small) {
    if (documents + row.documents > limits.documents || textBytes + row.textBytes > limits.textBytes) break
    chosen.push(row)
    textBytes += row.textBytes
    documents += row.documents
  }
  return chosen.length >= minMerged ? chosen : []
}

/** The visible entries of a part, `entriesPerStep` at a time. */
async function* entriesOf(part: Part, visible: Bitmap | undefined): AsyncGenerator<StoredEntry[]> {
  for (let from = 0; from < part.documents; from += entriesPerStep) {
    const to = Math.min(part.documents, from + entriesPerStep)
    const documents = Array.from({ length: to - from }, (_, index) => from + index)
    yield await part.entries(visible ? documents.filter((document) => hasBit(visible, document)) : documents)
  }
}

/**
 * Adds the visible entries of parts to an index, in small steps so that other work can run; each as `change` returns it, or dropped if that is
 * undefined. Throws SegmentCorrupt.
 */
export const refill = async (
  index: MemoryIndex,
  analyse: (batch: EntryBatch) => BatchAnalysis,
  parts: readonly Part[],
  change: (entry: StoredEntry) => StoredEntry | undefined = (entry) => entry,
): Promise<void> => {
  const builder = createBatchBuilder(entriesPerStep, 64 * 1024)
  let templates: string[] = ['']
  let templateOf: number[] = []
  let ingestTime = 0
  const finish = async () => {
    if (builder.count === 0) return
    const batch = decodeBatch(builder.finish(ingestTime))
    // An entry keeps its template; templates that were merged since are resolved when it is returned.
    index.add(batch, { ...analyse(batch), shapeOf: Uint32Array.from(templateOf), shapes: templates }, templates)
    templates = ['']
    templateOf = []
    await setImmediate()
  }
  for (const part of parts) {
    const visible = await part.visible()
    for await (const entries of entriesOf(part, visible)) {
      for (const stored of entries) {
        const changed = change(stored)
        if (changed === undefined) continue
        const { severity, sender, ...entry } = changed
        if (entry.ingestTime !== ingestTime || builder.count === entriesPerStep) await finish()
        ingestTime = entry.ingestTime
        const known = templates.indexOf(entry.templateId ?? '')
        templateOf.push(known >= 0 ? known : templates.push(entry.templateId ?? '') - 1)
        builder.add({
          ...entry,
          time: entry.effectiveTime,
          timeIsBorrowed: entry.time === null,
          severity: severity === null ? 0 : severityCode[severity],
          ...(sender && { sender }),
        })
      }
    }
  }
  await finish()
}
