import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const version = '1'

/** A key for secrets, and the name by which what it sealed knows it. */
export type SealingKey = { id: string; key: Uint8Array }

/** The key that follows from what is configured: text of 32 characters or more, or random bytes (HKDF, RFC 5869). */
export const sealingKey = (material: string | Uint8Array): SealingKey => {
  const key = new Uint8Array(hkdfSync('sha256', material, '', 'trellis settings', keyBytes))
  return { id: createHash('sha256').update('name of the key').update(key).digest('hex').slice(0, 12), key }
}

/** Encrypts a secret (AES-256-GCM, a random nonce) as text that opens under this name alone. */
export const seal = (name: string, plain: string, { id, key }: SealingKey): string => {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final(), sealing.getAuthTag()])
  return [version, id, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
}

/** The name of the key that something was sealed with. */
export const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

/** What was sealed, or undefined where none of the keys opens it: another key, another name, or a byte that was changed. */
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
