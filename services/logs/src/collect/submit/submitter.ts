import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import type { Leases } from '@trellis/kit/leases'
import { createBackoff } from '@trellis/kit/retry'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { MatchedEntry } from '../../entries/matched-entry.ts'
import {
  addToOutbox,
  firstOfOutbox,
  type OutboxRow,
  type OutboxTables,
  outboxSize,
  removeFromOutbox,
} from './outbox-store.ts'
import { type PushTarget, pushBatch } from './push-batch.ts'

export type SubmitterOptions = {
  db: Kysely<OutboxTables>
  target: PushTarget
  leases: Leases
  log: Log
  limits?: SubmitLimits
}

/** Pushes entries that patterns match to another service. They are queued in rows: delivery is at least once, and the receiver ignores duplicates. */
export type Submitter = {
  /** Queues entries until they are pushed. Throws `unavailable` when the queue is full: entries that cannot be queued must not be skipped. */
  add: (entries: readonly MatchedEntry[]) => Promise<void>
  /** Pushes all queued entries, until the receiver refuses; does nothing while another replica pushes. */
  push: (signal: AbortSignal) => Promise<void>
}

export type SubmitLimits = {
  entries: number
  bytes: number
  /** The maximum number of queued entries. */
  waiting: number
  /** Attempts for one batch before it is left to the next round, and the pause after the first one, which doubles. */
  tries: number
  firstPauseMilliseconds: number
}

export const submitLimits: SubmitLimits = {
  entries: 1_000,
  bytes: 4 * 1024 * 1024,
  waiting: 1_000_000,
  tries: 6,
  firstPauseMilliseconds: 1_000,
}

const rowsPerStatement = 200
const maxPauseMilliseconds = 60_000

/** An entry as `POST /logs/api/glean/batch` accepts it. The receiver derives the same id for it, and so detects duplicates. */
const bodyOf = ({ sourceId, sequence, timestampIso, severity, text }: MatchedEntry): string =>
  JSON.stringify({ source_id: sourceId, sequence, timestamp_iso: timestampIso, severity, text })

const withinBytes = (rows: readonly OutboxRow[], max: number): OutboxRow[] => {
  let bytes = 0
  return rows.filter(({ body }, index) => {
    bytes += Buffer.byteLength(body)
    return index === 0 || bytes <= max
  })
}

export const createSubmitter = ({ db, target, leases, log, limits = submitLimits }: SubmitterOptions): Submitter => {
  /** Returns whether the batch has left the outbox. */
  const pushWithRetries = async (rows: OutboxRow[], signal: AbortSignal): Promise<boolean> => {
    let batch = rows
    const backoff = createBackoff({ initial: limits.firstPauseMilliseconds, max: maxPauseMilliseconds })
    for (let left = limits.tries; left > 0; ) {
      const pushed = await pushBatch(target, batch, signal)
      if (pushed.kind === 'tooLarge' && batch.length > 1) {
        batch = batch.slice(0, Math.ceil(batch.length / 2))
        continue
      }
      if (pushed.kind !== 'later') {
        const refused = pushed.kind === 'tooLarge' ? ['It is too large.'] : pushed.rejected
        if (refused.length > 0)
          log.warn({ refused: refused.length, first: refused[0] }, 'matched entries were rejected permanently')
        await removeFromOutbox(
          db,
          batch.map(({ id }) => id),
        )
        return true
      }
      left--
      const pause = backoff.next()
      log.warn({ reason: pushed.reason, left }, 'matched entries could not be pushed')
      if (left > 0)
        await sleep(pushed.retryAfterSeconds === undefined ? pause : pushed.retryAfterSeconds * 1000, undefined, {
          signal,
          ref: false,
        })
    }
    return false
  }
  return {
    add: async (entries) => {
      if ((await outboxSize(db)) + entries.length > limits.waiting) {
        throw serviceError(
          'unavailable',
          `${limits.waiting} matched entries are queued for SERVICE_SUBMIT_ENDPOINT, which is the maximum. Nothing is collected until it accepts some.`,
        )
      }
      for (let start = 0; start < entries.length; start += rowsPerStatement) {
        const some = entries.slice(start, start + rowsPerStatement)
        await addToOutbox(
          db,
          some.map((entry) => ({ entry_id: entry.entryId, body: bodyOf(entry) })),
        )
      }
    },
    push: async (signal) => {
      await using lease = await leases.take('submit', signal)
      if (!lease) return
      for (;;) {
        lease.signal.throwIfAborted()
        const rows = withinBytes(await firstOfOutbox(db, limits.entries), limits.bytes)
        if (rows.length === 0 || !(await pushWithRetries(rows, lease.signal))) return
      }
    },
  }
}
