import { isIP } from 'node:net'

/** A subresource request of a page. */
export type PartRequest = {
  readonly address: string
  readonly method: string
  /** The browser's resource type: script, fetch, image. */
  readonly resourceType: string
}

export type PartRules = {
  /** Whether a subresource request is made at all. */
  readonly allows: (request: PartRequest) => boolean
  /** The same rules as a content security policy, so that the browser does not even issue forbidden requests. */
  readonly policy: string
}

/** Resource types that produce content. Appearance is of no use: no images, styles, fonts or media, no frames, no sockets. */
const useful = new Set(['script', 'xhr', 'fetch'])

/**
 * Allows GET requests for scripts and data on the page's own site: its host without `www.`, and subdomains of that. The
 * site's other domains count as foreign, as do those of analytics and advertising.
 */
export const partRules = (pageAddress: string): PartRules => {
  const { host, hostname } = new URL(pageAddress)
  const site = host.replace(/^www\./, '')
  const hasHostsBelow = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  const sources = [host, site, ...(hasHostsBelow ? [`*.${site}`] : [])]
    .flatMap((name) => [`http://${name}`, `https://${name}`])
    .join(' ')
  return {
    allows: ({ address, method, resourceType }) => {
      const url = URL.parse(address)
      if (url === null || method !== 'GET' || !useful.has(resourceType)) return false
      if (url.protocol !== 'http:' && url.protocol !== 'https:') return false
      return url.host === host || url.host === site || (hasHostsBelow && url.host.endsWith(`.${site}`))
    },
    policy: [
      "default-src 'none'",
      `script-src ${sources} 'unsafe-inline' 'unsafe-eval'`,
      `connect-src ${sources}`,
      "style-src 'unsafe-inline'",
      "form-action 'none'",
    ].join('; '),
  }
}
