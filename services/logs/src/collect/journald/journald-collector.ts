import { utc } from '../../formats/zone.ts'
import type { Batch, Collector, CollectRequest } from '../collector.ts'
import { type RunCommand, runLocally } from '../command.ts'
import { batchRecords } from '../records/record-batches.ts'
import { hostOf, type LocalJournalEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { journalKey, readJournal } from './read-journal.ts'

const cursorIn = (state: string | undefined): string | undefined => {
  if (state === undefined) return undefined
  const { cursor } = JSON.parse(state) as { cursor?: unknown }
  return typeof cursor === 'string' ? cursor : undefined
}

/** Collects a journal with a journalctl that runs wherever `run` runs it. */
export async function* collectJournal(
  request: CollectRequest<LocalJournalEntry | SshEntry>,
  { run, now }: { run: RunCommand; now: () => number },
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, signal, onProblem } = request
  const cursor = force ? undefined : cursorIn(await checkpoints.get(journalKey))
  const reads = readJournal({
    run,
    host: hostOf(source),
    units: source.units,
    directory: source.path ?? undefined,
    cursor,
    sourceIdOf: (unit) => unitSourceId(source, unit),
    signal,
    onProblem,
  })
  yield* batchRecords(reads, { tenantId: source.tenantId, time: { zone: utc, reference: now() }, now })
}

/** The journal of this machine. */
export const createJournalCollector = ({ now }: { now: () => number }): Collector<LocalJournalEntry> => ({
  collect: (request) => collectJournal(request, { run: runLocally, now }),
})
