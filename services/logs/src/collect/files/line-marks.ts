import type { LinePosition } from './recent-lines.ts'

/** Offsets at which chunks of lines begin: a line whose own offset is no longer known is read again from the preceding mark. */
export const createLineMarks = () => {
  const marks: LinePosition[] = []
  return {
    /** Marks are added in ascending order of lines. */
    add: (mark: LinePosition) => {
      marks.push(mark)
    },
    /** The last mark that is not past a line. Deletes the marks before it. */
    before: (line: number): LinePosition | undefined => {
      marks.splice(
        0,
        marks.findLastIndex((mark) => mark.line <= line),
      )
      return marks[0]
    },
  }
}
