import type { Egress } from '@trellis/kit/egress'
import { serviceError } from '@trellis/kit/errors'
import type { SettingsValues } from '../../settings/declared.ts'
import { adguardHome } from './adguard-home.ts'
import type { DnsFilter, FilterKind } from './dns-filter.ts'
import { pihole5 } from './pihole-5.ts'
import { pihole6 } from './pihole-6.ts'

/** By the setting `dns_filter_version`. */
export const filterKinds: Record<SettingsValues['dns_filter_version'], FilterKind> = {
  '6': pihole6,
  '5': pihole5,
  adguard: adguardHome,
}

/** After this idle time, the session at the filter is closed. */
const idleMilliseconds = 30_000

/** The base address of a filter; an address copied from the browser may have the path of the web interface. */
const baseOf = (url: string): string => url.replace(/\/(?:admin|api|control)(?:\/.*)?$/, '')

const unconfigured = (what: string) =>
  serviceError('unavailable', `The DNS filter is not configured: set ${what} in the settings.`)

/** The configured filter. Throws `unavailable` (503) without an address or key. */
const accessOf = (settings: SettingsValues) => {
  const { dns_filter_url: url, dns_filter_api_key: key, dns_filter_version: version } = settings
  const missing = Object.entries({ dns_filter_url: url, dns_filter_api_key: key }).filter(([, value]) => value === '')
  if (missing.length > 0) throw unconfigured(missing.map(([name]) => name).join(' and '))
  const kind = filterKinds[version]
  const problem = kind.problemOfKey?.(key)
  if (problem !== undefined) throw serviceError('unavailable', problem)
  return { kind, access: { url: baseOf(url), key, certificate: settings.dns_filter_certificate } }
}

/** The DNS filter that the settings configure. */
export type Filters = AsyncDisposable & {
  /** Runs the work with the configured filter. Throws `unavailable` if none is configured, and what the work throws. */
  use: <Result>(settings: SettingsValues, work: (filter: DnsFilter) => Promise<Result>) => Promise<Result>
}

type Opened = { signature: string; filter: DnsFilter; users: number; idle: NodeJS.Timeout | undefined }

/** Shares one open filter between consecutive uses, so that they share a session; changed settings open another. */
export const createFilters = ({ upstream }: { upstream: Pick<Egress, 'fetch'> }): Filters => {
  let opened: Opened | undefined
  const closing = new Set<Promise<void>>()

  const close = (entry: Opened) => {
    clearTimeout(entry.idle)
    if (opened === entry) opened = undefined
    const done: Promise<void> = Promise.resolve(entry.filter[Symbol.asyncDispose]()).finally(() => closing.delete(done))
    closing.add(done)
  }
  const openFor = (settings: SettingsValues): Opened => {
    const { kind, access } = accessOf(settings)
    const signature = JSON.stringify([kind.name, access])
    if (opened?.signature === signature) return opened
    const old = opened
    opened = { signature, filter: kind.open({ ...access, upstream }), users: 0, idle: undefined }
    if (old?.users === 0) close(old)
    return opened
  }
  return {
    use: async (settings, work) => {
      const current = openFor(settings)
      clearTimeout(current.idle)
      current.users += 1
      try {
        return await work(current.filter)
      } finally {
        current.users -= 1
        if (current.users === 0) {
          if (opened === current) current.idle = setTimeout(() => close(current), idleMilliseconds).unref()
          else close(current)
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (opened) close(opened)
      await Promise.all(closing)
    },
  }
}
