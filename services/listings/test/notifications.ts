import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { startHttpServer } from '@trellis/test/support/http-server'

export const keyId = '9936261a-7d7b-4621-a0f1-96ccb428af49'

/** An API of a marketplace with one public key, sent on one line as the real one does, which records its requests. */
export const startKeyServer = async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = String(pair.publicKey.export({ type: 'spki', format: 'pem' })).replaceAll('\n', '')
  const state: { isFailing: boolean; held?: Promise<void> } = { isFailing: false }
  const server = await startHttpServer(async ({ url, headers }) => {
    await state.held
    if (state.isFailing) return { status: 500 }
    if (url === '/identity/v1/oauth2/token')
      return { status: 200, body: { access_token: 'app-token', expires_in: 7_200 } }
    if (headers.authorization !== 'Bearer app-token') return { status: 401 }
    return url === `/commerce/notification/v1/public_key/${keyId}`
      ? { status: 200, body: { key, algorithm: 'ECDSA', digest: 'SHA1' } }
      : { status: 404 }
  })
  const keyRequests = () => server.requests.filter(({ url }) => url.includes('public_key')).map(({ url }) => url)
  return {
    url: server.url,
    privateKey: pair.privateKey,
    state,
    keyRequests,
    requests: server.requests,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

/** The signature header of a body. */
export const signatureOf = (privateKey: KeyObject, body: string, kid = keyId): string => {
  const signature = sign('sha1', Buffer.from(body), privateKey).toString('base64')
  return Buffer.from(JSON.stringify({ alg: 'ecdsa', kid, signature, digest: 'SHA1' })).toString('base64')
}

/** The text of a notification. */
export const notificationOf = (data: Record<string, unknown>, notificationId = 'notification-1'): string =>
  JSON.stringify({
    metadata: { topic: 'MARKETPLACE_ACCOUNT_DELETION', schemaVersion: '1.0', deprecated: false },
    notification: {
      notificationId,
      eventDate: '2026-03-01T09:00:00.000Z',
      publishDate: '2026-03-01T09:00:01.000Z',
      publishAttemptCount: 1,
      data: { eiasToken: 'nY+sHZ2PrBmdj6wVnY', ...data },
    },
  })
