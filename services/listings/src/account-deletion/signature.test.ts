import { generateKeyPairSync, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { sharedData } from '@trellis/test/support/shared-data'
import { describe, expect, test } from 'vitest'
import { challengeResponse } from './challenge.ts'
import { isSignedBy, parseSignature, readPublicKey } from './signature.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = String(pair.publicKey.export({ type: 'spki', format: 'pem' }))
const body = Buffer.from('{\n  "notification": {"data": {"username": "a_seller"}}\n}')
const signed = (bytes: Uint8Array) => sign('sha1', bytes, pair.privateKey)

const header = (change: Record<string, unknown> = {}) =>
  Buffer.from(
    JSON.stringify({ alg: 'ecdsa', kid: '9936261a-7d7b', signature: 'MEUC', digest: 'SHA1', ...change }),
  ).toString('base64')

describe('a signature header', () => {
  test('has the id of a key and a signature', () => {
    expect(parseSignature(header())).toEqual({ keyId: '9936261a-7d7b', signature: Buffer.from('MEUC', 'base64') })
  })

  test.each([
    ['no base64', '{"alg": "ecdsa"}'],
    ['no JSON', Buffer.from('alg').toString('base64')],
    ['null', Buffer.from('null').toString('base64')],
    ['another algorithm', header({ alg: 'rsa' })],
    ['another digest', header({ digest: 'MD5' })],
    ['a key id with a path', header({ kid: '../../buy/browse' })],
    ['a key id with a query', header({ kid: 'a?b=c' })],
    ['an overlong key id', header({ kid: 'a'.repeat(129) })],
    ['a number as key id', header({ kid: 1 })],
    ['no signature', header({ signature: undefined })],
    ['a signature that is no base64', header({ signature: '!' })],
    ['an overlong header', header({ signature: 'A'.repeat(5_000) })],
  ])('with %s is rejected', (_what, text) => {
    expect(parseSignature(text)).toBeUndefined()
  })
})

describe('a public key', () => {
  test.each([
    ['lines', pem],
    ['one line', pem.replaceAll('\n', '')],
  ])('is read from PEM of %s', (_what, text) => {
    const key = readPublicKey(text)
    expect(key && isSignedBy(key, body, signed(body))).toBe(true)
  })

  test('is undefined for other text, and for a key of another kind', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ type: 'spki', format: 'pem' })
    for (const text of ['', 'key', pem.replace('MFkw', 'AAAA'), String(rsa)])
      expect(readPublicKey(text)).toBeUndefined()
  })
})

describe('a body', () => {
  test('is signed as received, or as compact JSON', () => {
    const compact = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
    expect(isSignedBy(pair.publicKey, body, signed(body))).toBe(true)
    expect(isSignedBy(pair.publicKey, body, signed(compact))).toBe(true)
  })

  test('is not signed by another key, after a change, or by bytes that are no signature', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    expect(isSignedBy(other, body, signed(body))).toBe(false)
    expect(isSignedBy(pair.publicKey, Buffer.from('{}'), signed(body))).toBe(false)
    expect(isSignedBy(pair.publicKey, Buffer.from('no JSON'), signed(body))).toBe(false)
    expect(isSignedBy(pair.publicKey, body, Buffer.from('no signature'))).toBe(false)
  })
})

test('the answer to a challenge is the digest of the code, the token and the endpoint, in this order', () => {
  // echo -n 'codetokenhttps://trellis.test/deletion' | sha256sum
  expect(challengeResponse('code', { token: 'token', endpoint: 'https://trellis.test/deletion' })).toBe(
    '5ed97bf513aac7f5607d5d625f70849c1e316f20295ba2f4d002f4ed4580e840',
  )
})

type Vector = { signature: string; message: object; response: { key: string } | null }

const vectors = sharedData('marketplace', 'signature-vectors.json.gz')

test.skipIf(vectors === undefined)('the published vectors are accepted and rejected as they should be', async () => {
  const all = JSON.parse(gunzipSync(await readFile(vectors ?? '')).toString()) as Record<string, Vector>
  const isValid = ({ signature, message, response }: Vector) => {
    const parsed = parseSignature(signature)
    const key = readPublicKey(response?.key ?? '')
    return parsed && key ? isSignedBy(key, Buffer.from(JSON.stringify(message, null, 2)), parsed.signature) : undefined
  }
  const results = Object.fromEntries(Object.entries(all).map(([name, vector]) => [name, isValid(vector)]))
  expect(results).toMatchObject({ VALID: true, SIGNATURE_MISMATCH: false })
})
