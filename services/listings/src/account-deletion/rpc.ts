import { serviceError } from '@trellis/kit/errors'
import { type Handlers, readUpload, type UploadPart } from '@trellis/kit/rpc'
import type {
  AccountDeletionParameters,
  AccountDeletionServiceDefinition,
} from '@trellis/protos/ts/trellis/listings/v1/account_deletion.ts'
import type { Dependencies } from '../dependencies.ts'
import { challengeResponse } from './challenge.ts'
import { parseNotification } from './notification.ts'
import type { PublicKeys } from './public-keys.ts'
import { challengeSettings, verifiesSignatures, webhookHealth } from './settings.ts'
import { isSignedBy, parseSignature } from './signature.ts'
import { insertDeletion } from './store.ts'

/** Notifications have less than 1 KiB. */
const maxBytes = 64 * 1024

const readBody = async (parts: AsyncIterable<UploadPart>): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    if (part.kind === 'field') continue
    for await (const chunk of part.content) {
      size += chunk.length
      if (size > maxBytes) throw serviceError('too_large', `A notification may have ${maxBytes / 1024} KiB.`)
      chunks.push(chunk)
    }
  }
  return Buffer.concat(chunks)
}

const unsigned = (reason: string) => serviceError('precondition_failed', reason)

export type AccountDeletionDependencies = Pick<Dependencies, 'db' | 'config' | 'log' | 'now'> & {
  /** Throws `misconfigured` if the API that has the keys is not configured. */
  readonly publicKeys: () => Promise<PublicKeys>
  /** Starts the deletion of what was stored for it. */
  readonly wake: () => void
}

/** Throws 412 unless the marketplace has signed the body. */
const checkSignature = async (
  { publicKeys }: AccountDeletionDependencies,
  { signature: header, ebaySignature }: AccountDeletionParameters,
  body: Buffer,
): Promise<void> => {
  const text = header ?? ebaySignature
  if (!text) throw unsigned('The header X-Marketplace-Signature is missing.')
  const signature = parseSignature(text)
  if (signature === undefined)
    throw unsigned('X-Marketplace-Signature must be base64 of {alg, kid, signature, digest}, for ECDSA with SHA1.')
  const keyOf = await publicKeys()
  const key = await keyOf(signature.keyId)
  if (key === undefined) throw unsigned('X-Marketplace-Signature names a key that the marketplace does not have.')
  if (!isSignedBy(key, body, signature.signature)) throw unsigned('X-Marketplace-Signature does not match the body.')
}

export const accountDeletionRpc = (
  dependencies: AccountDeletionDependencies,
): Handlers<typeof AccountDeletionServiceDefinition> => ({
  answerChallenge: async ({ challengeCode }) => ({
    challengeResponse: challengeResponse(challengeCode, challengeSettings(dependencies.config)),
  }),
  receiveAccountDeletion: async (messages) => {
    const { db, config, log, now, wake } = dependencies
    const { parameters, parts } = await readUpload(messages)
    const body = await readBody(parts)
    challengeSettings(config)
    if (verifiesSignatures(config)) await checkSignature(dependencies, parameters, body)
    const notification = parseNotification(body)
    const isNew = await insertDeletion(db, notification, now())
    log.info({ notificationId: notification.id, isNew }, 'account deletion: notification received')
    wake()
    return {}
  },
  getWebhookHealth: async () => {
    const { endpoint, verifiesSignatures: signatureVerification } = webhookHealth(dependencies.config)
    return { status: 'ok', endpoint, signatureVerification }
  },
})
