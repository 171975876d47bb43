import { maxTextBytes } from './clean.ts'

/**
 * A line of a container that its runtime wrote in parts, since it was longer than its buffer. In the Kubernetes CRI log format a part has the
 * tag P, the last one F; in Docker's JSON a part fills the buffer and has no line end. Parts of the two streams may come in turn.
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

const criPart = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,18}(?:Z|[+-]\d{2}:\d{2}) (stdout|stderr) ([FP])(?::\w+)* /
const two = 50
const t = 84

const dockerStart = '{"log":"'
const dockerPart = /^\{"log":"([^"\\]*(?:\\.[^"\\]*)*)","stream":"(stdout|stderr)"/
/** The buffer of Docker's log drivers (`defaultBufSize` of moby's daemon/logger/copier.go). */
const dockerBytes = 16 * 1024

/** Whether a line begins with a time of this millennium or with Docker's key, as a part does. By hand: every line comes here. */
export const mayBePart = (line: string): boolean =>
  (line.charCodeAt(0) === two && line.charCodeAt(10) === t) || line.startsWith(dockerStart)

/** `line` up to `end`, and the next part from `start`, are one line. */
type Part = { stream: string; isLast: boolean; start: number; end: number }

const partOf = (line: string): Part | undefined => {
  const cri = criPart.exec(line)
  if (cri) return { stream: cri[1] ?? '', isLast: cri[2] === 'F', start: cri[0].length, end: line.length }
  const [, log = '', stream = ''] = dockerPart.exec(line) ?? []
  if (stream === '') return undefined
  const isLast = log.endsWith('\\n') || Buffer.byteLength(log) < dockerBytes
  return { stream: `docker ${stream}`, isLast, start: dockerStart.length, end: dockerStart.length + log.length }
}

export const createLineParts = (): LineParts => {
  const byStream = new Map<string, WholeLine & { end: number }>()
  const held = () => [...byStream.values()].toSorted((one, other) => one.sequence - other.sequence)
  return {
    held,
    release: () => {
      const lines = held()
      byStream.clear()
      return lines
    },
    take: (line, sequence) => {
      const part = partOf(line)
      if (!part) return { line, sequence, parts: 1 }
      const { stream, isLast, start, end } = part
      const before = byStream.get(stream)
      const kept = before ? before.line.slice(0, before.end) : ''
      const whole = before
        ? { line: kept + line.slice(start), sequence: before.sequence, parts: before.parts + 1 }
        : { line, sequence, parts: 1 }
      if (!isLast && whole.line.length * 3 <= maxTextBytes) {
        byStream.set(stream, { ...whole, end: before ? kept.length + end - start : end })
        return undefined
      }
      byStream.delete(stream)
      return whole
    },
  }
}
