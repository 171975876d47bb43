/**
 * Headers of every answer: no MIME sniffing, no framing, and no loading of resources by API answers. Pages that need
 * more override the policy.
 *
 * X-Frame-Options is omitted: every browser in use supports `frame-ancestors`, and each header costs every request.
 */
export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
]
