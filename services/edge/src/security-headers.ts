/**
 * Sent with every answer: nothing is sniffed or framed, and what the API answers may load nothing. Pages that need
 * more set their own policy over this one.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
