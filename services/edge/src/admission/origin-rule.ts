import type { IncomingMessage } from 'node:http'

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'url'>

export type OriginRuleOptions = {
  /** `EDGE_URL`: pages of its origin are our own, whatever `Host` a proxy sends. */
  publicUrl: string | undefined
  /** Whether a CORS rule names this origin for the target. */
  isAllowed: (url: string, origin: string) => boolean
}

/** Whether a browser shows pages from this `Host` under the origin. The scheme is unknown behind a proxy and is ignored. */
const isSameHost = (origin: string, host: string | undefined): boolean => {
  const parsed = URL.parse(origin)
  if (!parsed || parsed.host === '' || host === undefined) return false
  return parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host
}

/**
 * Recognizes requests that a browser sends for a page of another site (CSRF). `Sec-Fetch-Site` decides where the browser
 * sends it; it does so to loopback names and over TLS. Elsewhere `Origin` is compared with `Host`. Requests without
 * both are not from a current browser. The algorithm is that of Go's `http.CrossOriginProtection`.
 */
export const createOriginRule = ({ publicUrl, isAllowed }: OriginRuleOptions) => {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return ({ headers, url = '' }: BrowserRequest): boolean => {
    const { origin, host, 'sec-fetch-site': site } = headers
    if (origin === undefined && site === undefined) return false
    if (site === 'same-origin' || site === 'none') return false
    if (origin === undefined) return true
    if (site === undefined && (origin === own || isSameHost(origin, host))) return false
    return !isAllowed(url, origin)
  }
}

/** Whether a request comes from a page of another site that no CORS rule names. */
export type OriginRule = ReturnType<typeof createOriginRule>
