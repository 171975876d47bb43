import { maxTextBytes } from './clean.ts'

/**
 * A line of a container that its runtime wrote in parts, since it was longer than its buffer (the Kubernetes CRI log format: tag P for a part,
 * F for the last one). Parts of the two streams may come in turn.
 */
export type LineParts = {
  /** The line with the parts before it; undefined for a part that is not the last. */
  take: (line: string, sequence: number) => WholeLine | undefined
  /** Lines that are not at their end, first come first. */
  held: () => readonly WholeLine[]
  /** Gives them out as far as they came. */
  release: () => readonly WholeLine[]
}

/** `sequence` is the number of its first part, `parts` how many it came in. */
export type WholeLine = { line: string; sequence: number; parts: number }

const part = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,18}(?:Z|[+-]\d{2}:\d{2}) (stdout|stderr) ([FP])(?::\w+)* /
const two = 50
const t = 84

/** Whether a line begins with a time of this millennium, as a part does. By hand: every line comes here. */
export const mayBePart = (line: string): boolean => line.charCodeAt(0) === two && line.charCodeAt(10) === t

export const createLineParts = (): LineParts => {
  const byStream = new Map<string, WholeLine>()
  const held = () => [...byStream.values()].toSorted((one, other) => one.sequence - other.sequence)
  return {
    held,
    release: () => {
      const lines = held()
      byStream.clear()
      return lines
    },
    take: (line, sequence) => {
      const match = part.exec(line)
      if (!match) return { line, sequence, parts: 1 }
      const [header, stream = '', tag] = match
      const before = byStream.get(stream)
      const whole = before
        ? { line: before.line + line.slice(header.length), sequence: before.sequence, parts: before.parts + 1 }
        : { line, sequence, parts: 1 }
      if (tag === 'P' && whole.line.length * 3 <= maxTextBytes) {
        byStream.set(stream, whole)
        return undefined
      }
      byStream.delete(stream)
      return whole
    },
  }
}
