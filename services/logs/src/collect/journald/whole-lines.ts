import { maxTextBytes } from '../../formats/clean.ts'
import type { JournalFields } from './export-format.ts'

/**
 * Joins the entries of a journal that are parts of one line: journald divides what a program prints at `LineMax=` (48 KiB), and container engines
 * divide lines at the size of their buffers. The joined entry has the fields of the first part. Parts are joined as bytes, since they may end
 * within a character.
 */
export type WholeLines = {
  /** Returns the entries that are complete: `fields`, if it is no part of a longer line, or the line that it completes. */
  push: (fields: JournalFields) => JournalFields[]
  /** Returns the lines whose last part has not come. */
  end: () => JournalFields[]
  /** Whether the last part of a line has not come. */
  readonly isOpen: boolean
}

type OpenLine = { fields: JournalFields; parts: Buffer[]; size: number; time: number }

const maxOpen = 256
/** The parts of one line are written at once. In microseconds, as the journal counts. */
const maxBetweenParts = 10_000_000

const textOf = (fields: JournalFields, name: string): string | undefined => fields.get(name)?.toString('latin1')

/** What wrote the line: the output of a program, or one of the two of a container. */
const writerOf = (fields: JournalFields): string | undefined => {
  const container = textOf(fields, 'CONTAINER_ID_FULL') ?? textOf(fields, 'CONTAINER_ID')
  return container === undefined ? textOf(fields, '_STREAM_ID') : `${container} ${textOf(fields, 'PRIORITY')}`
}

/** `_LINE_BREAK` is described in systemd.journal-fields(7); the engines of Docker and Podman write the other. */
const isPart = (fields: JournalFields): boolean =>
  textOf(fields, '_LINE_BREAK') === 'line-max' || textOf(fields, 'CONTAINER_PARTIAL_MESSAGE') === 'true'

export const createWholeLines = (): WholeLines => {
  const open = new Map<string, OpenLine>()

  const append = (line: OpenLine, fields: JournalFields, time: number) => {
    const message = fields.get('MESSAGE') ?? Buffer.alloc(0)
    // What is longer is truncated later; some more bytes show that it was.
    const part = message.subarray(0, Math.max(0, maxTextBytes + 4 - line.size))
    if (part.length > 0) line.parts.push(part)
    line.size += part.length
    line.time = time
  }
  const finish = (writer: string, { fields, parts }: OpenLine): JournalFields => {
    open.delete(writer)
    return new Map(fields).set('MESSAGE', Buffer.concat(parts))
  }
  /** Lines whose next part is overdue, and one if there are too many. */
  const takeOverdue = (time: number): JournalFields[] => {
    const overdue = [...open].filter(([, line]) => time - line.time > maxBetweenParts)
    const [oldest] = open
    if (overdue.length === 0 && open.size > maxOpen && oldest) overdue.push(oldest)
    return overdue.map(([writer, line]) => finish(writer, line))
  }

  return {
    get isOpen() {
      return open.size > 0
    },
    push: (fields) => {
      const goesOn = isPart(fields)
      if (open.size === 0 && !goesOn) return [fields]
      const time = Number(textOf(fields, '__REALTIME_TIMESTAMP'))
      const overdue = takeOverdue(time)
      const writer = writerOf(fields)
      if (writer === undefined) return [...overdue, fields]
      const line = open.get(writer) ?? { fields, parts: [], size: 0, time }
      if (!open.has(writer) && !goesOn) return [...overdue, fields]
      append(line, fields, time)
      if (!goesOn) return [...overdue, finish(writer, line)]
      open.set(writer, line)
      return overdue
    },
    end: () => [...open].map(([writer, line]) => finish(writer, line)),
  }
}
