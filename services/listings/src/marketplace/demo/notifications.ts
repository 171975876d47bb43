import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { ApiAnswer } from './api.ts'
import type { Inventory } from './inventory.ts'

const keyId = 'demo-key'

/** Sends notifications that the holder of an account requests its deletion, and shows the key that they are signed with. */
export type DemoNotifications = {
  /** The public key with an id, on one line as the real API sends it. */
  readonly publicKey: (id: string) => ApiAnswer
  /** Notifies the configured endpoint of the deletion of a seller's account, and reports its answer. */
  readonly deleteAccount: (username: string, inventory: Inventory, now: Date) => Promise<ApiAnswer>
}

/** An error in the form of the API's errors. */
export const failed = (status: number, message: string): ApiAnswer => ({ status, body: { errors: [{ message }] } })

const notificationOf = (username: string, now: Date) => ({
  metadata: { topic: 'MARKETPLACE_ACCOUNT_DELETION', schemaVersion: '1.0', deprecated: false },
  notification: {
    notificationId: randomUUID(),
    eventDate: now.toISOString(),
    publishDate: now.toISOString(),
    publishAttemptCount: 1,
    data: { username },
  },
})

/** How long the endpoint may take to answer, in milliseconds. */
const patience = 10_000

/**
 * Notifications of the demo, signed by ECDSA over SHA-1 as the real ones are, by a key that each instance draws. They go to one configured endpoint: no
 * request can make the demo send them elsewhere.
 */
export const createDemoNotifications = (endpoint: string | undefined): DemoNotifications => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = String(publicKey.export({ type: 'spki', format: 'pem' })).replaceAll('\n', '')
  return {
    publicKey: (id) =>
      id === keyId
        ? { status: 200, body: { key, algorithm: 'ECDSA', digest: 'SHA1' } }
        : failed(404, 'There is no such key.'),
    deleteAccount: async (username, { sellers }, now) => {
      if (endpoint === undefined)
        return failed(409, 'No endpoint is subscribed: start Trellis with MARKETPLACE_NOTIFICATION_ENDPOINT.')
      if (!sellers.some(({ name }) => name === username)) return failed(404, `There is no seller "${username}".`)
      const body = JSON.stringify(notificationOf(username, now))
      const signature = sign('sha1', Buffer.from(body), privateKey).toString('base64')
      const header = { alg: 'ecdsa', kid: keyId, signature, digest: 'SHA1' }
      try {
        const { status } = await fetch(endpoint, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-marketplace-signature': Buffer.from(JSON.stringify(header)).toString('base64'),
          },
          body,
          redirect: 'error',
          signal: AbortSignal.timeout(patience),
        })
        return { status: 200, body: { endpoint, status } }
      } catch {
        return failed(502, `${endpoint} cannot be reached.`)
      }
    },
  }
}
