import { CommandFailed, type RunCommand } from '../command.ts'
import type { ReadRecord } from '../records/record-batches.ts'
import { createExportReader, type JournalFields } from './export-format.ts'
import { cursorOf, journalRecord } from './journal-record.ts'

export type JournalReading = {
  /** Runs journalctl, here or on a remote host. */
  run: RunCommand
  /** Whose journal it is, for problems. */
  host: string
  /** Some units' alone; all when empty. */
  units: readonly string[]
  /** A folder with journal files, where it is not the system's own. */
  directory: string | undefined
  /** Of the entry that was read last. */
  cursor: string | undefined
  sourceIdOf: (unit: string) => string
  /** Goes on with what is written until the signal aborts. */
  follows?: boolean
  signal: AbortSignal
  onProblem: (problem: string) => void
}

/** The place in a journal, as a row. */
export const journalKey = 'journal'

/** The same entry, however a version of journalctl orders what a cursor says: the journal's id and the number in it. */
const isSameEntry = (left: string, right: string): boolean => {
  const partsOf = (cursor: string) => cursor.split(';').filter((part) => part.startsWith('s=') || part.startsWith('i='))
  const [one, other] = [partsOf(left), partsOf(right)]
  return one.length === 2 ? one.toSorted().join() === other.toSorted().join() : left === right
}

const wordsFor = ({ units, directory, follows }: JournalReading, cursor: string | undefined): string[] => [
  'journalctl',
  '--output=export',
  '--no-pager',
  '--quiet',
  // All from the cursor on, and not only the last ten.
  ...(follows ? ['--follow', '--no-tail'] : []),
  ...(directory === undefined ? [] : [`--directory=${directory}`]),
  ...units.map((unit) => `--unit=${unit}`),
  // The entry that was read last comes again, so that it is noticed when it is not there any more.
  ...(cursor === undefined ? [] : [`--cursor=${cursor}`]),
]

const isUnknownCursor = (complaint: string) => /seek to cursor|parse cursor/i.test(complaint)

/**
 * Reads a journal from the entry behind the cursor to its end (journalctl(1)). A cursor whose entry is gone, since the journal was vacuumed
 * or is another one, is a problem that is told; reading goes on with the next entry that there is. Throws CommandFailed, or what running a
 * command throws. One that follows ends when it is told to; a journalctl that ends by itself then has failed.
 */
export async function* readJournal(reading: JournalReading): AsyncGenerator<ReadRecord> {
  const { run, host, cursor, sourceIdOf, signal, onProblem } = reading
  const tellLoss = () =>
    onProblem(
      `The journal of ${host} does not have the entry any more that was read last: entries that were written since may be missing.`,
    )
  const { output, ended } = await run(wordsFor(reading, cursor), signal)
  const reader = createExportReader()
  let isFirst = cursor !== undefined
  const read = (fields: JournalFields): ReadRecord | undefined => {
    const place = cursorOf(fields)
    const wasFirst = isFirst
    isFirst = false
    if (wasFirst && cursor !== undefined) {
      if (place !== undefined && isSameEntry(place, cursor)) return undefined
      tellLoss()
    }
    return {
      record: journalRecord(fields, sourceIdOf),
      checkpoint: place === undefined ? undefined : { key: journalKey, state: JSON.stringify({ cursor: place }) },
    }
  }
  for await (const chunk of output) {
    for (const fields of reader.push(chunk)) {
      const made = read(fields)
      if (made) yield made
    }
  }
  const { code, complaint } = await ended
  if (signal.aborted) return
  if (code !== 0 && cursor !== undefined && isUnknownCursor(complaint)) {
    tellLoss()
    yield* readJournal({ ...reading, cursor: undefined })
    return
  }
  if (code !== 0 || reading.follows)
    throw new CommandFailed(`journalctl on ${host} ended with ${code ?? 'a signal'}: ${complaint}`)
  for (const fields of reader.end()) {
    const made = read(fields)
    if (made) yield made
  }
  if (isFirst) tellLoss()
}
