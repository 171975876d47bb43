import { isAscii } from 'node:buffer'
import { type EntryBatch, severityIsKnown, severityMask } from '../entries/entry-batch.ts'
import { createShapes } from '../templates/shapes.ts'
import { createBatchWords } from './batch-words.ts'
import type { Enricher } from './enricher.ts'

/** The distinct words of a batch, in the order they were met, and where each stands. */
export type BatchPostings = {
  hashes: Int32Array<ArrayBuffer>
  /** Where each word ends in `bytes`; it starts where the one before ends. */
  ends: Uint32Array<ArrayBuffer>
  bytes: Uint8Array<ArrayBuffer>
  /** Where the postings of each word end. A word may have none. */
  postingEnds: Uint32Array<ArrayBuffer>
  /** Packed, see `countBits`; a document is the entry's place in its batch. Ascending within a word. */
  postings: Uint32Array<ArrayBuffer>
}

/** What the texts of a batch say: a pure function of the batch, so that whichever thread has time can find it out. */
export type BatchAnalysis = BatchPostings & {
  /** Words of each entry. */
  wordCounts: Uint32Array<ArrayBuffer>
  /** A code for each entry. */
  severities: Uint8Array<ArrayBuffer>
  /** For each entry an index into `patternSets`. */
  patternSetOf: Uint16Array<ArrayBuffer>
  patternSets: string[][]
  /** For each entry an index into `shapes`. */
  shapeOf: Uint32Array<ArrayBuffer>
  /** The distinct forms of the messages, see `templates/masking.ts`; the first is empty. */
  shapes: string[]
}

/** What can be handed to another thread instead of being copied. */
export const transferablesOf = (analysis: BatchAnalysis): ArrayBuffer[] => [
  analysis.hashes.buffer,
  analysis.ends.buffer,
  analysis.bytes.buffer,
  analysis.postingEnds.buffer,
  analysis.postings.buffer,
  analysis.wordCounts.buffer,
  analysis.severities.buffer,
  analysis.patternSetOf.buffer,
  analysis.shapeOf.buffer,
]

/** Reads the words of a batch's texts and asks the enricher about those that have a word it listens for. Not to be used by two at once. */
export const createBatchAnalyser = (enricher: Enricher): ((batch: EntryBatch) => BatchAnalysis) => {
  const words = createBatchWords(enricher.words)
  const shapes = createShapes()
  return (batch) => {
    const { count, textEnds, flags, messageStarts, messageEnds } = batch
    const text = Buffer.from(batch.text.buffer, batch.text.byteOffset, batch.text.byteLength)
    const wordCounts = new Uint32Array(count)
    const severities = new Uint8Array(count)
    const patternSetOf = new Uint16Array(count)
    const shapeOf = new Uint32Array(count)
    const patternSets: string[][] = [[]]
    const numbers = new Map<string, number>([['', 0]])
    const numberOf = (tags: readonly string[]): number => {
      const key = tags.join(' ')
      const known = numbers.get(key)
      if (known !== undefined) return known
      const number = patternSets.push([...tags]) - 1
      numbers.set(key, number)
      return number
    }
    const allAscii = isAscii(text)
    words.start()
    shapes.start()
    let start = 0
    for (let entry = 0; entry < count; entry++) {
      const end = textEnds[entry] ?? 0
      const entryIsAscii = allAscii || isAscii(text.subarray(start, end))
      wordCounts[entry] = entryIsAscii
        ? words.addAscii(entry, text, start, end)
        : words.addText(entry, text.toString('utf8', start, end))
      const messageEnd = messageEnds[entry] ?? 0
      shapeOf[entry] = shapes.add(
        text,
        start + (messageStarts[entry] ?? 0),
        messageEnd === 0 ? end : start + messageEnd,
      )
      const flag = flags[entry] ?? 0
      const named = (flag & severityIsKnown) === 0 ? undefined : flag & severityMask
      severities[entry] = named ?? 0
      if (words.heard.length > 0) {
        const found = enricher.enrich(text.toString(entryIsAscii ? 'latin1' : 'utf8', start, end), words.heard, named)
        severities[entry] = found.severity
        if (found.patterns.length > 0) patternSetOf[entry] = numberOf(found.patterns)
      }
      start = end
    }
    return { ...words.finish(), wordCounts, severities, patternSetOf, patternSets, shapeOf, shapes: shapes.finish() }
  }
}
