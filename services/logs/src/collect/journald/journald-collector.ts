import { utc } from '../../formats/zone.ts'
import type { Batch, Collector, CollectRequest } from '../collector.ts'
import { type RunCommand, runLocally } from '../command.ts'
import { batchRecords } from '../records/record-batches.ts'
import { hostOf, type LocalJournalEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { journalKey, readJournal, reportHidden } from './read-journal.ts'

const cursorIn = (state: string | undefined): string | undefined => {
  if (state === undefined) return undefined
  const { cursor } = JSON.parse(state) as { cursor?: unknown }
  return typeof cursor === 'string' ? cursor : undefined
}

type Journalctl = {
  run: RunCommand
  now: () => number
  /** Follows the journal until the signal aborts, with batches limited by time and number of records. */
  flush?: { milliseconds: number; records: number }
}

/** Collects a journal with journalctl, wherever `run` runs it. */
export async function* collectJournal(
  request: CollectRequest<LocalJournalEntry | SshEntry>,
  { run, now, flush }: Journalctl,
): AsyncGenerator<Batch> {
  const { source, checkpoints, force, signal, onProblem } = request
  const cursor = force ? undefined : cursorIn(await checkpoints.get(journalKey))
  const access = { run, host: hostOf(source), directory: source.path ?? undefined, signal, onProblem }
  if (flush === undefined) await reportHidden(access)
  const reads = readJournal({
    ...access,
    units: source.units,
    cursor,
    sourceIdOf: (unit) => unitSourceId(source, unit),
    follows: flush !== undefined,
  })
  const time = { zone: utc, reference: now() }
  yield* batchRecords(reads, { tenantId: source.tenantId, time, now, ...(flush && { flush }) })
}

/** Live entries are stored every 10 s or 100 lines, as specified. */
const watchFlush = { milliseconds: 10_000, records: 100 }

/** The journal of this machine. */
export const createJournalCollector = ({
  now,
  flush = watchFlush,
}: {
  now: () => number
  flush?: { milliseconds: number; records: number }
}): Collector<LocalJournalEntry> => ({
  collect: (request) => collectJournal(request, { run: runLocally, now }),
  follow: async function* (request) {
    const ending = new AbortController()
    const signal = AbortSignal.any([request.signal, ending.signal])
    try {
      yield* collectJournal({ ...request, signal }, { run: runLocally, now, flush })
    } finally {
      // If the reader stops early, the journalctl that waits for new entries must be ended.
      ending.abort()
    }
  },
})
