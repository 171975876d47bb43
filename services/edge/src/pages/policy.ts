/**
 * Headers of pages. Scripts, styles and connections are the edge's own only; no inline code is allowed, so the policy needs no nonce. The two
 * Trusted Types policies belong to Svelte's templates and to the worker that reads streams.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html trellis-worker',
].join('; ')

/** Listings link to the marketplace, which must not learn what was searched for; nothing here needs the device's sensors. */
export const pageHeaders: readonly (readonly [name: string, value: string])[] = [
  ['content-security-policy', contentSecurityPolicy],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
]
