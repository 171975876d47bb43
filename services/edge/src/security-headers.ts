/**
 * Sent with every answer: nothing is sniffed or framed, and what the API answers may load nothing. Pages that need
 * more set their own policy over this one.
 *
 * X-Frame-Options is not among them: `frame-ancestors` says the same to every browser in use, and each header costs every request.
 */
export const securityHeaders: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
]
