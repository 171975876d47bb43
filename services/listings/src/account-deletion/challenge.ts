import { createHash } from 'node:crypto'

/**
 * The answer to a challenge of the marketplace: the SHA-256 digest of the challenge code, the verification token and the URL of the
 * endpoint, in this order, in hexadecimal (https://developer.ebay.com/marketplace-account-deletion).
 */
export const challengeResponse = (
  challengeCode: string,
  { token, endpoint }: { readonly token: string; readonly endpoint: string },
): string => createHash('sha256').update(challengeCode).update(token).update(endpoint).digest('hex')
