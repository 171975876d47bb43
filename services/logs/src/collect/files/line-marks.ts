import type { FileHandle } from 'node:fs/promises'
import { readFully } from './excerpts.ts'
import type { Excerpt } from './file-place.ts'

/** Where a line begins, and what stands before it. */
export type Mark = { line: number; offset: number; tail: Excerpt }

const chunkBytes = 64 * 1024

/** Where some lines of a file begin, so that the byte of any line after one of them can be told by reading on from there. */
export const createLineMarks = (reopen: () => Promise<FileHandle | undefined>) => {
  const marks: Mark[] = []
  return {
    /** Later lines are added later. */
    add: (mark: Mark) => {
      marks.push(mark)
    },
    /** The last mark that is not past a line. Marks before it are forgotten. */
    before: (line: number): Mark | undefined => {
      marks.splice(
        0,
        marks.findLastIndex((mark) => mark.line <= line),
      )
      return marks[0]
    },
    /** The offset at which a line begins, some lines after a mark; undefined where the file is not to be had any more. */
    offsetOf: async (line: number, mark: Mark): Promise<number | undefined> => {
      await using file = await reopen()
      return file && (await findLine(file, mark, line))
    },
  }
}

const findLine = async (file: FileHandle, mark: Mark, wanted: number): Promise<number | undefined> => {
  const buffer = new Uint8Array(chunkBytes)
  let { line, offset } = mark
  for (;;) {
    const filled = await readFully(file, buffer, offset)
    if (filled === 0) return undefined
    const read = buffer.subarray(0, filled)
    for (let end = read.indexOf(10); end >= 0; end = read.indexOf(10, end + 1)) {
      if (++line === wanted) return offset + end + 1
    }
    offset += filled
  }
}
