import type { Egress } from '@trellis/kit/egress'

/** A DNS filter refused, failed or is unreachable. The message quotes it and contains no secret. */
export class FilterFailure extends Error {
  override name = 'FilterFailure'
}

/** Address and credentials of a DNS filter. */
export type FilterAccess = {
  /** The base address, without the path of the web interface or the API. */
  url: string
  key: string
  /** See the setting `dns_filter_certificate`. */
  certificate: string
  upstream: Pick<Egress, 'fetch'>
}

/** The operations on a filter; each throws FilterFailure. Disposal closes its session. */
export type DnsFilter = AsyncDisposable & {
  /** A sentence about the filter that responded, for people. */
  test: (signal: AbortSignal) => Promise<string>
  /** Idempotent. */
  block: (domain: string, signal: AbortSignal) => Promise<void>
  /** Idempotent. */
  unblock: (domain: string, signal: AbortSignal) => Promise<void>
}

/** One kind of filter. A new kind is a file beside these, and a line in `filters.ts`. */
export type FilterKind = {
  name: string
  /** A sentence about an invalid key; undefined if nothing is wrong with its form. */
  problemOfKey?: (key: string) => string | undefined
  open: (access: FilterAccess) => DnsFilter
}
