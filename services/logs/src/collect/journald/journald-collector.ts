import { utc } from '../../formats/zone.ts'
import type { Batch, Collector, CollectRequest } from '../collector.ts'
import { limitSilence, type RunCommand, runLocally } from '../command.ts'
import { batchRecords } from '../records/record-batches.ts'
import { hostOf, type LocalJournalEntry, type SshEntry, unitSourceId } from '../source-entry.ts'
import { cursorIn, journalKey, readJournal, reportHidden } from './read-journal.ts'

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
  const reading = { ...access, units: source.units, cursor, sourceIdOf: (unit: string) => unitSourceId(source, unit) }
  const options = { source, time: { zone: utc, reference: now() }, now }
  if (flush === undefined) {
    yield* batchRecords(readJournal({ ...reading, reportsSkipped: true }), options)
    return
  }
  // journalctl follows only the current boot, and would skip what was written before the machine started: the journal is first read to its end.
  let last = cursor
  for await (const batch of batchRecords(readJournal(reading), options)) {
    last = cursorIn(batch.checkpoint?.state) ?? last
    yield batch
  }
  if (signal.aborted) return
  yield* batchRecords(readJournal({ ...reading, cursor: last, follows: true }), { ...options, flush })
}

/** Live entries are stored every 10 s or 100 lines, as specified. */
const watchFlush = { milliseconds: 10_000, records: 100 }

/** As long as a remote host may be silent. A journal that is followed may be silent for any time. */
const silenceMilliseconds = 300_000

/** The journal of this machine. */
export const createJournalCollector = ({
  now,
  flush = watchFlush,
}: {
  now: () => number
  flush?: { milliseconds: number; records: number }
}): Collector<LocalJournalEntry> => ({
  collect: (request) => collectJournal(request, { run: limitSilence(runLocally, silenceMilliseconds), now }),
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
