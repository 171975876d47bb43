import type { Egress } from '@trellis/kit/egress'
import type { Leases } from '@trellis/kit/leases'
import type { Log } from '@trellis/kit/telemetry'
import type { Kysely } from 'kysely'
import type { Settings } from '../settings/settings.ts'
import type { LogEngine } from '../threads/log-engine.ts'
import { type Blocklist, createBlocklist } from './blocklist.ts'
import { createFilters } from './filters/filters.ts'
import type { BlocklistTables } from './store.ts'

export type OpenBlocklistOptions = {
  db: Kysely<BlocklistTables>
  leases: Leases
  engine: Pick<LogEngine, 'search' | 'sources'>
  settings: Pick<Settings, 'read'>
  upstream: Pick<Egress, 'fetch'>
  log: Log
  /** Interval between background scans. */
  roundMilliseconds?: number
}

/** The block list with its background scan and its session at the filter; disposal ends both. */
export const openBlocklist = (options: OpenBlocklistOptions): Blocklist & AsyncDisposable => {
  const { upstream, ...rest } = options
  const filters = createFilters({ upstream })
  const blocklist = createBlocklist({ ...rest, filters })
  const ending = new AbortController()
  const scanning = blocklist.run(ending.signal)
  return {
    ...blocklist,
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The log service is ending.'))
      await scanning
      await filters[Symbol.asyncDispose]()
    },
  }
}
