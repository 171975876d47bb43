import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const version = '1'

/** An encryption key for secrets, and its id, which encrypted secrets contain. */
export type SealingKey = { id: string; key: Uint8Array }

/** Derives a key from configured text of 32 characters or more, or from random bytes (HKDF, RFC 5869). */
export const sealingKey = (material: string | Uint8Array): SealingKey => {
  const key = new Uint8Array(hkdfSync('sha256', material, '', 'trellis settings', keyBytes))
  return { id: createHash('sha256').update('name of the key').update(key).digest('hex').slice(0, 12), key }
}

/** Encrypts a secret (AES-256-GCM, random nonce) as text that can be decrypted under this name only. */
export const seal = (name: string, plain: string, { id, key }: SealingKey): string => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final(), sealing.getAuthTag()])
  return [version, id, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
}

/** The id of the key that encrypted a secret. */
export const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

/** Decrypts a secret, or returns undefined if no key fits: another key, another name, or changed bytes. */
export const unseal = (name: string, sealed: string, keys: readonly SealingKey[]): string | undefined => {
  const [, id, nonceText = '', dataText = ''] = sealed.split('.')
  const known = keys.find((key) => key.id === id)
  const [nonce, data] = [Buffer.from(nonceText, 'base64url'), Buffer.from(dataText, 'base64url')]
  if (!known || nonce.length !== nonceBytes || data.length < tagBytes) return undefined
  const opening = createDecipheriv(cipher, known.key, nonce)
    .setAAD(Buffer.from(name))
    .setAuthTag(data.subarray(-tagBytes))
  try {
    return opening.update(data.subarray(0, -tagBytes), undefined, 'utf8') + opening.final('utf8')
  } catch {
    return undefined
  }
}
