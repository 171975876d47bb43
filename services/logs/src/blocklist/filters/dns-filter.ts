import type { Egress } from '@trellis/kit/egress'

/** A DNS filter that refused, failed or cannot be reached. The message has its words, and no secret. */
export class FilterFailure extends Error {
  override name = 'FilterFailure'
}

/** Where a DNS filter is, and what opens it. */
export type FilterAccess = {
  /** Its own address, without the path of its pages or of its API. */
  url: string
  key: string
  /** As the setting `dns_filter_certificate`. */
  certificate: string
  upstream: Pick<Egress, 'fetch'>
}

/** What is asked of a filter; each throws FilterFailure. Closing ends what it keeps open there. */
export type DnsFilter = AsyncDisposable & {
  /** What answered, for a person. */
  test: (signal: AbortSignal) => Promise<string>
  /** One that is blocked already stays so. */
  block: (domain: string, signal: AbortSignal) => Promise<void>
  /** One that is not blocked is no failure. */
  unblock: (domain: string, signal: AbortSignal) => Promise<void>
}

/** One kind of filter. Another one is a file beside these, and a line in `filters.ts`. */
export type FilterKind = {
  name: string
  /** What is wrong with a key, as far as it shows; undefined for nothing. */
  problemOfKey?: (key: string) => string | undefined
  open: (access: FilterAccess) => DnsFilter
}
