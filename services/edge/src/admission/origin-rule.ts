import type { IncomingMessage } from 'node:http'

type BrowserRequest = Pick<IncomingMessage, 'headers' | 'url'>

export type OriginRuleOptions = {
  /** `EDGE_URL`: pages of its origin are not foreign, whatever `Host` a proxy sends. */
  publicUrl: string | undefined
  /** Whether a CORS rule allows this origin for the URL. */
  isAllowed: (url: string, origin: string) => boolean
}

/** Whether the origin has this `Host`. The scheme is ignored, because it is unknown behind a proxy. */
const isSameHost = (origin: string, host: string | undefined): boolean => {
  const parsed = URL.parse(origin)
  if (!parsed || parsed.host === '' || host === undefined) return false
  return parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host
}

/**
 * Recognizes requests that a browser sends for a page of another site (CSRF). `Sec-Fetch-Site` decides if the browser
 * sends it, which it does to loopback names and over TLS. Otherwise `Origin` is compared with `Host`. Requests without
 * both headers are not from a current browser. The algorithm is that of Go's `http.CrossOriginProtection`.
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

/** Whether a request comes from a page of another site that no CORS rule allows. */
export type OriginRule = ReturnType<typeof createOriginRule>
