import { setTimeout as sleep } from 'node:timers/promises'
import { serviceError } from '@trellis/kit/errors'
import type { Leases } from '@trellis/kit/leases'
import { startRounds } from '@trellis/kit/lifecycle'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Settings } from '../settings/settings.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import {
  type Candidate,
  checkAllowed,
  type Doing,
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

/** The sources that the settings name are scanned so often; where they name none, only a person's request scans. */
const scanMilliseconds = 15 * 60_000
/** A request waits for so long; what is left is for the next one, or the background. */
const maxRequestMilliseconds = 20_000
const maxRoundMilliseconds = 5 * 60_000
const scanLease = 'blocklist scan'

/** Changes at the filter follow each other, on all replicas: AdGuard Home's list is read, changed and written as a whole. */
const filterLease = 'blocklist filter'
const filterWaitMilliseconds = 30_000
const filterLookMilliseconds = 50

export type Blocklist = {
  list: (status: Status | undefined) => Promise<Candidate[]>
  /** Throws `conflict` while another scan runs. */
  scan: (signal: AbortSignal) => Promise<ScanResult>
  decide: (id: string, doing: Exclude<Doing, 'push' | 'unblock'>) => Promise<Candidate>
  /** Throws `not_found`, `conflict`, `unavailable` where there is no filter, and `upstream_failed` with its words. */
  push: (id: string, signal: AbortSignal) => Promise<Candidate>
  unblock: (id: string, signal: AbortSignal) => Promise<Candidate>
  /** What answered. Throws as `push` does. */
  test: (signal: AbortSignal) => Promise<string>
  /** Scans again and again until the signal aborts. */
  run: (signal: AbortSignal) => Promise<void>
}

export type BlocklistOptions = {
  db: Kysely<BlocklistTables>
  engine: Pick<LogEngine, 'search' | 'sources'>
  settings: Pick<Settings, 'read'>
  filters: Pick<Filters, 'use'>
  leases: Leases
  log: Log
  /** Between two rounds of the background. */
  roundMilliseconds?: number
}

const inWords = (error: FilterFailure) => serviceError('upstream_failed', error.message, { cause: error })

/** The filter itself must stay reachable by its name. */
const hostOf = (address: string): string[] => {
  const host = URL.parse(address)?.hostname
  return host === undefined ? [] : [host]
}

/** Candidates, the scan that finds them, and the filter that blocks them. */
export const createBlocklist = (options: BlocklistOptions): Blocklist => {
  const { db, engine, settings, filters, leases, log, roundMilliseconds = scanMilliseconds } = options
  /** Undefined while somebody else scans. */
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
      mayGoOn: async () => performance.now() < until && !lease.signal.aborted,
      signal,
    })
  }

  /** Alone at the filter, among all replicas; waits its turn. */
  const alone = async <Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> => {
    const until = performance.now() + filterWaitMilliseconds
    for (;;) {
      await using lease = await leases.take(filterLease, signal)
      if (lease) return await work()
      if (performance.now() > until)
        throw serviceError('unavailable', 'Others are changing the DNS filter: try again in a moment.', {
          retryAfterSeconds: 5,
        })
      await sleep(filterLookMilliseconds, undefined, { signal })
    }
  }

  const change = async (
    id: string,
    doing: 'push' | 'unblock',
    work: (filter: DnsFilter, domain: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Candidate> => {
    const values = await settings.read()
    checkAllowed(await requireCandidate(db, id), doing)
    return filters.use(values, (filter) =>
      alone(signal, async () => {
        // Read again: whoever came before may have done it.
        const row = await requireCandidate(db, id)
        checkAllowed(row, doing)
        try {
          await work(filter, row.domain)
        } catch (error) {
          if (!(error instanceof FilterFailure)) throw error
          await move(db, row, transitions[doing].fail, error.message)
          throw inWords(error)
        }
        return presentCandidate(db, values, await move(db, row, transitions[doing].to, null))
      }),
    )
  }

  return {
    list: async (status) => rankedCandidates(db, await settings.read(), status),
    scan: async (signal) => {
      const result = await scanFor(maxRequestMilliseconds, signal)
      if (!result) throw serviceError('conflict', 'A scan is running: look at the candidates in a moment.')
      return result
    },
    decide: async (id, doing) => {
      const row = await requireCandidate(db, id)
      checkAllowed(row, doing)
      return presentCandidate(db, await settings.read(), await move(db, row, transitions[doing].to, null))
    },
    push: (id, signal) => change(id, 'push', (filter, domain) => filter.block(domain, signal), signal),
    unblock: (id, signal) => change(id, 'unblock', (filter, domain) => filter.unblock(domain, signal), signal),
    test: async (signal) => {
      try {
        return await filters.use(await settings.read(), (filter) => filter.test(signal))
      } catch (error) {
        throw error instanceof FilterFailure ? inWords(error) : error
      }
    },
    run: (signal) =>
      startRounds({
        milliseconds: roundMilliseconds,
        signal,
        round: async () => {
          if ((await settings.read()).router_source_ids.length > 0) await scanFor(maxRoundMilliseconds, signal)
        },
        onFailure: (error) => log.warn({ err: error }, 'a scan for block list candidates failed; the next one goes on'),
      }).ended,
  }
}
