import { isIP } from 'node:net'

/** A further request that a page makes. */
export type PartRequest = {
  readonly address: string
  readonly method: string
  /** The browser's word for what it is wanted for: script, fetch, image. */
  readonly resourceType: string
}

export type PartRules = {
  /** Whether a further request is made at all. */
  readonly allows: (request: PartRequest) => boolean
  /** The same as a content security policy: what it forbids is not even asked for. */
  readonly policy: string
}

/** What pages are made by. How they look is of no use: no image, style, font or medium, no frame, no socket. */
const useful = new Set(['script', 'xhr', 'fetch'])

/**
 * Which further requests of a page are made: reading ones, for scripts and data, on the page's own site. The site is its host
 * without `www.`, and what lies below it; its other domains are strangers, as are those of measuring and advertising.
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
