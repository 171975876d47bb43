import { serviceError } from '@trellis/kit/errors'
import type { Kysely } from 'kysely'
import type { SettingsValues } from '../settings/declared.ts'
import { registeredDomain } from './scan/domains.ts'
import { judge } from './scan/signs.ts'
import {
  type BlocklistTables,
  type CandidateTable,
  findCandidate,
  listCandidates,
  moveCandidate,
  type Status,
  seenSpan,
} from './store.ts'

export type Candidate = {
  id: string
  domain: string
  status: Status
  count: number
  firstSeen: string
  lastSeen: string
  sourceIds: string[]
  device: string | null
  lastError: string | null
  devices: string[]
  score: number
  reasons: string[]
}

/** The allowed actions: the statuses they start from and lead to. `fail` is the status after the filter failed. */
export const transitions = {
  candidate: { from: ['approved', 'ignored', 'unblocked', 'push_failed', 'candidate'], to: 'candidate' },
  approve: { from: ['candidate', 'ignored', 'unblocked', 'push_failed', 'approved'], to: 'approved' },
  ignore: { from: ['candidate', 'approved', 'unblocked', 'push_failed', 'ignored'], to: 'ignored' },
  push: { from: ['approved', 'push_failed'], to: 'blocked', fail: 'push_failed' },
  unblock: { from: ['blocked'], to: 'unblocked', fail: 'blocked' },
} as const satisfies Record<string, { from: readonly Status[]; to: Status; fail?: Status }>

export type Action = keyof typeof transitions

/** What the caller must do first, by the rejected action. */
const advice: Record<Action, string> = {
  candidate: 'unblock it first',
  approve: 'unblock it first',
  ignore: 'unblock it first',
  push: 'set its status to approved first',
  unblock: 'only what is blocked can be unblocked',
}

/** Throws `conflict` (409) if the status does not allow the action. */
export const checkAllowed = ({ domain, status }: Pick<CandidateTable, 'domain' | 'status'>, action: Action): void => {
  const from: readonly Status[] = transitions[action].from
  if (!from.includes(status)) throw serviceError('conflict', `${domain} is ${status}: ${advice[action]}.`)
}

/** The candidate with this id. Throws `not_found`. */
export const requireCandidate = async (db: Kysely<BlocklistTables>, id: string): Promise<CandidateTable> => {
  const row = await findCandidate(db, id)
  if (!row) throw serviceError('not_found', `There is no candidate "${id}".`)
  return row
}

/** Changes the status of a candidate. Throws `conflict` if it changed since it was read. */
export const move = async (
  db: Kysely<BlocklistTables>,
  row: CandidateTable,
  status: Status,
  lastError: string | null,
): Promise<CandidateTable> => {
  const moved = await moveCandidate(db, { id: row.id, from: row.status, status, lastError })
  if (!moved)
    throw serviceError('conflict', `${row.domain} was changed by another request at the same time: read it again.`)
  return moved
}

/** What presenting one candidate takes beside its row: names of devices, and the time span of all candidates. */
type PresentationContext = { names: Readonly<Record<string, string>>; since: number; now: number }

const presentationContextOf = async (
  db: Kysely<BlocklistTables>,
  settings: SettingsValues,
): Promise<PresentationContext> => {
  const { since, now } = await seenSpan(db)
  return { names: JSON.parse(settings.device_names), since: since ?? 0, now: now ?? 0 }
}

const present = (row: CandidateTable, { names, since, now }: PresentationContext): Candidate => {
  const counts: Record<string, number> = JSON.parse(row.devices)
  const nameOf = (address: string) => (Object.hasOwn(names, address) ? (names[address] ?? address) : address)
  const devices = Object.entries(counts)
    .toSorted((a, b) => b[1] - a[1])
    .map(([address]) => nameOf(address))
  return {
    id: row.id,
    domain: row.domain,
    status: row.status,
    count: row.count,
    firstSeen: new Date(row.first_seen).toISOString(),
    lastSeen: new Date(row.last_seen).toISOString(),
    sourceIds: JSON.parse(row.source_ids),
    device: devices[0] ?? null,
    lastError: row.last_error,
    devices,
    ...judge({ domain: row.domain, count: row.count, firstSeen: row.first_seen, now, since, devices }),
  }
}

/** Candidates with score and reasons, by descending score, then by count, then grouped by registered domain. */
export const rankedCandidates = async (
  db: Kysely<BlocklistTables>,
  settings: SettingsValues,
  status: Status | undefined,
): Promise<Candidate[]> => {
  const context = await presentationContextOf(db, settings)
  return (await listCandidates(db, status))
    .map((row) => present(row, context))
    .toSorted(
      (a, b) =>
        b.score - a.score ||
        b.count - a.count ||
        registeredDomain(a.domain).localeCompare(registeredDomain(b.domain)) ||
        a.domain.localeCompare(b.domain),
    )
}

/** One candidate with score and reasons. */
export const presentCandidate = async (
  db: Kysely<BlocklistTables>,
  settings: SettingsValues,
  row: CandidateTable,
): Promise<Candidate> => present(row, await presentationContextOf(db, settings))
