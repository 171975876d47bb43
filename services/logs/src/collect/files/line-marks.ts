import type { LinePlace } from './recent-lines.ts'

/** Where chunks of lines begin: a line whose own place is not known any more is read again from the mark before it. */
export const createLineMarks = () => {
  const marks: LinePlace[] = []
  return {
    /** Later lines are added later. */
    add: (mark: LinePlace) => {
      marks.push(mark)
    },
    /** The last mark that is not past a line. Marks before it are forgotten. */
    before: (line: number): LinePlace | undefined => {
      marks.splice(
        0,
        marks.findLastIndex((mark) => mark.line <= line),
      )
      return marks[0]
    },
  }
}
