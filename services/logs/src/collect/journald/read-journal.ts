import { CommandFailed, type RunCommand } from '../command.ts'
import type { ReadRecord } from '../records/record-batches.ts'
import { createExportReader, type JournalFields } from './export-format.ts'
import { cursorOf, journalRecord } from './journal-record.ts'
import { createWholeLines } from './whole-lines.ts'

export type JournalAccess = {
  /** Runs journalctl, on this machine or on a remote host. */
  run: RunCommand
  /** The host of the journal, for problems. */
  host: string
  /** A folder with journal files instead of the system's. */
  directory: string | undefined
  signal: AbortSignal
  onProblem: (problem: string) => void
}

export type JournalReading = JournalAccess & {
  /** Restricts the journal to units; empty for all. */
  units: readonly string[]
  /** The cursor of the last entry that was read. */
  cursor: string | undefined
  sourceIdOf: (unit: string) => string
  /** Reports files that journalctl skips, because they are damaged. */
  reportsSkipped?: boolean
  /** Continues with new entries until the signal aborts. */
  follows?: boolean
}

/** The key of a journal's checkpoint. */
export const journalKey = 'journal'

/** The cursor in the state of a checkpoint. */
export const cursorIn = (state: string | undefined): string | undefined => {
  if (state === undefined) return undefined
  const { cursor } = JSON.parse(state) as { cursor?: unknown }
  return typeof cursor === 'string' ? cursor : undefined
}

/** Compares the journal's id and the number in it, since versions of journalctl order the parts of a cursor differently. */
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
  // All entries from the cursor on, not only the last ten; `--merge` also those of other boots in the same folder.
  ...(follows ? ['--follow', '--no-tail'] : []),
  ...(follows && directory !== undefined ? ['--merge'] : []),
  ...(directory === undefined ? [] : [`--directory=${directory}`]),
  ...units.map((unit) => `--unit=${unit}`),
  // The entry that was read last is requested again, to detect that it no longer exists.
  ...(cursor === undefined ? [] : [`--cursor=${cursor}`]),
]

/** Reports if the user of journalctl sees only its own entries. journalctl succeeds then, and warns only in its readable formats. */
export const reportHidden = async ({ run, host, directory, signal, onProblem }: JournalAccess): Promise<void> => {
  const place = directory === undefined ? [] : [`--directory=${directory}`]
  const { output, ended } = await run(['journalctl', '--output=short', '--no-pager', '--lines=0', ...place], signal)
  for await (const _ of output);
  const { stderr } = await ended
  if (/not seeing messages from other users/i.test(stderr))
    onProblem(
      `In the journal of ${host}, only the entries of one user can be read. Those of the system can be read by members of the group ` +
        'systemd-journal, from the next login on: sudo usermod -aG systemd-journal <user>.',
    )
}

/** What journalctl reports about files that it skips. It succeeds nevertheless. */
const skippedFile = /^.*(?:ignoring file|opening journal files).*$/gim
const maxSkippedFiles = 5

const isUnknownCursor = (stderr: string) => /seek to cursor|parse cursor/i.test(stderr)

/**
 * Reads a journal from the entry after the cursor to its end (journalctl(1)). If the entry of the cursor no longer exists, because the journal
 * was vacuumed or replaced, that is reported, and reading continues with the next existing entry. Throws CommandFailed, or the error of running
 * a command. With `follows` it ends when the signal aborts; a journalctl that ends by itself has failed then.
 */
export async function* readJournal(reading: JournalReading): AsyncGenerator<ReadRecord> {
  const { run, host, cursor, sourceIdOf, signal, onProblem } = reading
  const reportLoss = () =>
    onProblem(
      `The journal of ${host} no longer has the entry that was read last: entries that were written since may be missing.`,
    )
  const { output, ended } = await run(wordsFor(reading, cursor), signal)
  const reader = createExportReader()
  let isFirst = cursor !== undefined
  const lines = createWholeLines()
  /** Whether it is the entry that was read last. */
  const isKnown = (fields: JournalFields): boolean => {
    if (!isFirst || cursor === undefined) return false
    isFirst = false
    const position = cursorOf(fields)
    if (position !== undefined && isSameEntry(position, cursor)) return true
    reportLoss()
    return false
  }
  let last: string | undefined
  const recordsOf = (whole: readonly JournalFields[]): ReadRecord[] => {
    const records = whole.map((fields) => ({ record: journalRecord(fields, sourceIdOf) }))
    // Reading continues after an entry only if no line is incomplete there.
    if (last === undefined || lines.isOpen) return records
    return [...records, { checkpoint: { key: journalKey, state: JSON.stringify({ cursor: last }) } }]
  }
  const read = (fields: JournalFields): ReadRecord[] => {
    if (isKnown(fields)) return []
    last = cursorOf(fields)
    return recordsOf(lines.push(fields))
  }
  for await (const chunk of output) {
    for (const fields of reader.push(chunk)) yield* read(fields)
  }
  const { code, stderr } = await ended
  if (signal.aborted) return
  if (code !== 0 && cursor !== undefined && isUnknownCursor(stderr)) {
    reportLoss()
    yield* readJournal({ ...reading, cursor: undefined })
    return
  }
  if (code !== 0 || reading.follows)
    throw new CommandFailed(`journalctl on ${host} ended with ${code ?? 'a signal'}: ${stderr}`)
  for (const fields of reader.end()) yield* read(fields)
  if (lines.isOpen) yield* recordsOf(lines.end())
  if (isFirst) reportLoss()
  const skipped = [...new Set(stderr.match(skippedFile))].slice(0, maxSkippedFiles)
  if (reading.reportsSkipped && skipped.length > 0)
    onProblem(`Entries in the journal of ${host} cannot be read: ${skipped.join(' ')}`)
}
