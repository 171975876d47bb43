import { digestOf, excerptBytes } from './excerpts.ts'
import { type Excerpt, noExcerpt } from './file-position.ts'
import type { TextEncoding } from './text-encoding.ts'

/** Where a line begins, and the bytes before it. */
export type LinePosition = { line: number; offset: number; tail: Excerpt }

type Run = { bytes: Uint8Array; offset: number; line: number }

/** An open entry begins in the last run or, if that is short, in the one before. */
const retained = 2

/**
 * The lines that were read last, as in their file, so that the offset of each is known without reading the file again: it may have been
 * truncated meanwhile, or its connection closed. `before` is the content before the first of them.
 */
export const createRecentLines = (encoding: Pick<TextEncoding, 'lineEnd'>, before: Uint8Array) => {
  const runs: Run[] = []
  let prefix: Uint8Array = before.slice(-excerptBytes)
  const findIn = ({ bytes, offset, line }: Run, target: number): number | undefined => {
    let at = 0
    for (let current = line; current < target; current++) {
      at = encoding.lineEnd(bytes, at)
      if (at < 0) return undefined
    }
    return offset + at
  }
  const tailAt = (run: Run, offset: number): Excerpt => {
    const bytes = Buffer.concat([prefix, ...runs.slice(0, runs.indexOf(run)).map((earlier) => earlier.bytes)])
    const all = Buffer.concat([bytes.subarray(-excerptBytes), run.bytes.subarray(0, offset - run.offset)])
    const tail = all.subarray(-excerptBytes)
    return tail.length === 0 ? noExcerpt : { bytes: tail.length, digest: digestOf(tail) }
  }
  return {
    /** Adds a copy of whole lines, the first of which is `line` and begins at `offset`. */
    add: (run: Run) => {
      runs.push({ ...run, bytes: run.bytes.slice() })
      const dropped = runs.length > retained ? runs.shift() : undefined
      if (dropped) prefix = Buffer.concat([prefix, dropped.bytes.subarray(-excerptBytes)]).subarray(-excerptBytes)
    },
    /** The position of a line; undefined for a line that is not retained. */
    find: (line: number): LinePosition | undefined => {
      const run = runs.findLast((candidate) => candidate.line <= line)
      const offset = run && findIn(run, line)
      return run === undefined || offset === undefined ? undefined : { line, offset, tail: tailAt(run, offset) }
    },
  }
}
