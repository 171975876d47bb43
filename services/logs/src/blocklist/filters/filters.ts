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

/** What is kept open at a filter is closed when it was not used for so long. */
const idleMilliseconds = 30_000

/** The address that a person copies from the browser, without the path of the pages. */
const baseOf = (url: string): string => url.replace(/\/(?:admin|api|control)(?:\/.*)?$/, '')

const unconfigured = (what: string) =>
  serviceError('unavailable', `The DNS filter is not configured: set ${what} with PATCH /logs/api/settings.`)

/** The filter as it is set. Throws `unavailable` (503) where its address or its key is not. */
const accessOf = (settings: SettingsValues) => {
  const { dns_filter_url: url, dns_filter_api_key: key, dns_filter_version: version } = settings
  const missing = Object.entries({ dns_filter_url: url, dns_filter_api_key: key }).filter(([, value]) => value === '')
  if (missing.length > 0) throw unconfigured(missing.map(([name]) => name).join(' and '))
  const kind = filterKinds[version]
  const problem = kind.problemOfKey?.(key)
  if (problem !== undefined) throw serviceError('unavailable', problem)
  return { kind, access: { url: baseOf(url), key, certificate: settings.dns_filter_certificate } }
}

/** The DNS filter of the settings. */
export type Filters = AsyncDisposable & {
  /** Asks the filter as it is set now. Throws `unavailable` where it is not, and what the work throws. */
  use: <Result>(settings: SettingsValues, work: (filter: DnsFilter) => Promise<Result>) => Promise<Result>
}

type Opened = { signature: string; filter: DnsFilter; users: number; idle: NodeJS.Timeout | undefined }

/** Keeps one filter open between uses that follow each other, so that a session at it serves many; another setting opens another. */
export const createFilters = ({ upstream }: { upstream: Pick<Egress, 'fetch'> }): Filters => {
  let opened: Opened | undefined
  const closing = new Set<Promise<void>>()

  const close = (given: Opened) => {
    clearTimeout(given.idle)
    if (opened === given) opened = undefined
    const done: Promise<void> = Promise.resolve(given.filter[Symbol.asyncDispose]()).finally(() => closing.delete(done))
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
