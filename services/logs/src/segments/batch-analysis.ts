import { isAscii } from 'node:buffer'
import { type EntryBatch, severityIsKnown, severityMask } from '../entries/entry-batch.ts'
import { createShapes } from '../templates/shapes.ts'
import { createBatchWords } from './batch-words.ts'
import type { Enricher } from './enricher.ts'

/** The distinct words of a batch, in order of first occurrence, with their postings. */
export type BatchPostings = {
  hashes: Int32Array<ArrayBuffer>
  /** The end of each word in `bytes`; a word starts at the end of the one before. */
  ends: Uint32Array<ArrayBuffer>
  bytes: Uint8Array<ArrayBuffer>
  /** The end of the postings of each word. A word may have none. */
  postingEnds: Uint32Array<ArrayBuffer>
  /** Packed, see `countBits`; a document is the entry's index in its batch. Ascending within a word. */
  postings: Uint32Array<ArrayBuffer>
}

/** The index data of a batch. It is a pure function of the batch, so that any thread with free time can compute it. */
export type BatchAnalysis = BatchPostings & {
  /** The number of words of each entry. */
  wordCounts: Uint32Array<ArrayBuffer>
  /** The severity code of each entry. */
  severities: Uint8Array<ArrayBuffer>
  /** For each entry an index into `patternSets`. */
  patternSetOf: Uint16Array<ArrayBuffer>
  patternSets: string[][]
  /** For each entry an index into `shapes`. */
  shapeOf: Uint32Array<ArrayBuffer>
  /** The distinct forms of the messages, see `templates/masking.ts`; the first is empty. */
  shapes: string[]
}

/** The buffers that can be transferred to another thread instead of being copied. */
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

/** Collects the words of a batch's texts, and passes texts with at least one of the enricher's words to the enricher. Not reentrant. */
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
    let lineEnd = -1
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
      if (lineEnd < start && lineEnd !== text.length) {
        lineEnd = text.indexOf(10, start)
        if (lineEnd < 0) lineEnd = text.length
      }
      // A stack trace often names its error in a word that the enricher does not listen for.
      const mayBeTrace = named === undefined && lineEnd < end
      if (words.matched.length > 0 || mayBeTrace) {
        const found = enricher.enrich(text.toString(entryIsAscii ? 'latin1' : 'utf8', start, end), words.matched, named)
        severities[entry] = found.severity
        if (found.patterns.length > 0) patternSetOf[entry] = numberOf(found.patterns)
      }
      start = end
    }
    return { ...words.finish(), wordCounts, severities, patternSetOf, patternSets, shapeOf, shapes: shapes.finish() }
  }
}
