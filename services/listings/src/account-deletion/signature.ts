import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** A parsed signature header: which key, and the signature (DER, base64). */
export type Signature = { readonly keyId: string; readonly signature: Buffer }

const maxHeader = 4_096

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the header, which is the base64 of `{alg, kid, signature, digest}`. Undefined if it is anything but ECDSA over SHA-1; the id of
 * the key becomes part of a URL, so it has only letters, digits, hyphens and underscores.
 */
export const parseSignature = (header: string): Signature | undefined => {
  if (header.length > maxHeader || !isBase64(header)) return undefined
  const parsed = parseJson(Buffer.from(header, 'base64').toString())
  if (!isObject(parsed)) return undefined
  const { alg, kid, signature, digest } = parsed
  if (typeof alg !== 'string' || alg.toLowerCase() !== 'ecdsa') return undefined
  if (typeof digest !== 'string' || digest.toUpperCase().replace('-', '') !== 'SHA1') return undefined
  if (typeof kid !== 'string' || !/^[A-Za-z0-9_-]{1,128}$/.test(kid)) return undefined
  if (typeof signature !== 'string' || !isBase64(signature)) return undefined
  return { keyId: kid, signature: Buffer.from(signature, 'base64') }
}

/**
 * Reads a public key for ECDSA from PEM, also without line breaks, as the marketplace's API returns it. Undefined for anything else.
 */
export const readPublicKey = (pem: string): KeyObject | undefined => {
  const [, body = ''] = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/.exec(pem) ?? []
  try {
    const key = createPublicKey({ key: Buffer.from(body, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ec' ? key : undefined
  } catch {
    return undefined
  }
}

/** The body as compact JSON; undefined if it is no JSON. */
const compact = (body: Uint8Array): Buffer | undefined => {
  const parsed = parseJson(Buffer.from(body).toString())
  return parsed === undefined ? undefined : Buffer.from(JSON.stringify(parsed))
}

/**
 * Whether a key has signed a body: its bytes as received, or the same JSON without white space, which is what the marketplace signs
 * if a proxy has reformatted the body.
 */
export const isSignedBy = (key: KeyObject, body: Uint8Array, signature: Uint8Array): boolean => {
  const isValid = (bytes: Uint8Array) => verify('sha1', bytes, key, signature)
  if (isValid(body)) return true
  const compacted = compact(body)
  return compacted !== undefined && isValid(compacted)
}
