import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import type { Leases } from '@trellis/kit/leases'
import { startRounds } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Settings } from '../settings/settings.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import {
  type Action,
  type Candidate,
  checkAllowed,
  move,
  presentCandidate,
  rankedCandidates,
  requireCandidate,
  transitions,
} from './candidates.ts'
import { type DnsFilter, FilterFailure } from './filters/dns-filter.ts'
import type { Filters } from './filters/filters.ts'
import { type ScanResult, scan } from './scan/scan.ts'
import type { BlocklistTables, Status } from './store.ts'

/** Interval between background scans of the sources that the settings name. Without any, only requests start a scan. */
const scanMilliseconds = 15 * 60_000
/** Time limit of a scan on request; the next scan or the background continues it. */
const maxRequestMilliseconds = 20_000
const maxRoundMilliseconds = 5 * 60_000
const scanLease = 'blocklist scan'

/** Serializes changes at the filter across replicas: AdGuard Home's list is read, changed and written as a whole. */
const filterLease = 'blocklist filter'
const filterWaitMilliseconds = 30_000
const filterPollMilliseconds = 50

export type Blocklist = {
  list: (status: Status | undefined) => Promise<Candidate[]>
  /** Throws `conflict` while another scan runs. */
  scan: (signal: AbortSignal) => Promise<ScanResult>
  decide: (id: string, action: Exclude<Action, 'push' | 'unblock'>) => Promise<Candidate>
  /** Throws `not_found`, `conflict`, `unavailable` if no filter is configured, and `upstream_failed` with its message. */
  push: (id: string, signal: AbortSignal) => Promise<Candidate>
  unblock: (id: string, signal: AbortSignal) => Promise<Candidate>
  /** A sentence about the filter that responded. Throws as `push` does. */
  test: (signal: AbortSignal) => Promise<string>
  /** Scans periodically until the signal aborts. */
  run: (signal: AbortSignal) => Promise<void>
}

export type BlocklistOptions = {
  db: Kysely<BlocklistTables>
  engine: Pick<LogEngine, 'search' | 'sources'>
  settings: Pick<Settings, 'read'>
  filters: Pick<Filters, 'use'>
  leases: Leases
  log: Log
  /** Interval between background scans. */
  roundMilliseconds?: number
}

const toServiceError = (error: FilterFailure) => serviceError('upstream_failed', error.message, { cause: error })

/** The host of the filter itself must never be blocked. */
const hostOf = (address: string): string[] => {
  const host = URL.parse(address)?.hostname
  return host === undefined ? [] : [host]
}

/** Candidates, the scan that finds them, and the filter that blocks their domains. */
export const createBlocklist = (options: BlocklistOptions): Blocklist => {
  const { db, engine, settings, filters, leases, log, roundMilliseconds = scanMilliseconds } = options
  /** Undefined while another scan runs. */
  const scanFor = async (milliseconds: number, signal: AbortSignal): Promise<ScanResult | undefined> => {
    await using lease = await leases.take(scanLease, signal)
    if (!lease) return undefined
    const values = await settings.read()
    const until = performance.now() + milliseconds
    return await scan({
      db,
      engine,
      sourceIds: values.router_source_ids,
      own: [values.dns_filter_url, values.notion_url, values.jira_url, values.llm_base_url].flatMap(hostOf),
      mayContinue: async () => performance.now() < until && !lease.signal.aborted,
      signal,
    })
  }

  /** Runs the work under the filter lease, which excludes all other replicas. Throws `unavailable` after waiting for it in vain. */
  const withFilterLease = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
    const until = performance.now() + filterWaitMilliseconds
    for (;;) {
      await using lease = await leases.take(filterLease, signal)
      if (lease) return await work()
      if (performance.now() > until)
        throw serviceError(
          'unavailable',
          'The DNS filter is being changed by another request: try again in a moment.',
          {
            retryAfterSeconds: 5,
          },
        )
      await sleep(filterPollMilliseconds, undefined, { signal })
    }
  }

  const change = async (
    id: string,
    action: 'push' | 'unblock',
    work: (filter: DnsFilter, domain: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Candidate> => {
    const values = await settings.read()
    checkAllowed(await requireCandidate(db, id), action)
    return filters.use(values, (filter) =>
      withFilterLease(signal, async () => {
        // Read again: the previous holder of the lease may have changed it.
        const row = await requireCandidate(db, id)
        checkAllowed(row, action)
        try {
          await work(filter, row.domain)
        } catch (error) {
          if (!(error instanceof FilterFailure)) throw error
          await move(db, row, transitions[action].fail, error.message)
          throw toServiceError(error)
        }
        return presentCandidate(db, values, await move(db, row, transitions[action].to, null))
      }),
    )
  }

  return {
    list: async (status) => rankedCandidates(db, await settings.read(), status),
    scan: async (signal) => {
      const result = await scanFor(maxRequestMilliseconds, signal)
      if (!result) throw serviceError('conflict', 'A scan is running: list the candidates in a moment.')
      return result
    },
    decide: async (id, action) => {
      const row = await requireCandidate(db, id)
      checkAllowed(row, action)
      return presentCandidate(db, await settings.read(), await move(db, row, transitions[action].to, null))
    },
    push: (id, signal) => change(id, 'push', (filter, domain) => filter.block(domain, signal), signal),
    unblock: (id, signal) => change(id, 'unblock', (filter, domain) => filter.unblock(domain, signal), signal),
    test: async (signal) => {
      try {
        return await filters.use(await settings.read(), (filter) => filter.test(signal))
      } catch (error) {
        throw error instanceof FilterFailure ? toServiceError(error) : error
      }
    },
    run: (signal) =>
      startRounds({
        milliseconds: roundMilliseconds,
        signal,
        round: async () => {
          if ((await settings.read()).router_source_ids.length > 0) await scanFor(maxRoundMilliseconds, signal)
        },
        onFailure: (error) =>
          log.warn({ err: error }, 'a scan for block list candidates failed; the next one continues'),
      }).ended,
  }
}
