import { describe, expect, test } from 'vitest'
import { sha256, signedHeaders } from './sign.ts'

/** The worked examples of the Amazon S3 API reference, "Signature Calculations: Transferring Payload in a Single Chunk". */
describe('signatures match the S3 reference', () => {
  const credentials = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }
  const signatureOf = (method: string, target: string, headers: Record<string, string>, body = '') =>
    signedHeaders(
      { method, url: new URL(target, 'https://examplebucket.s3.amazonaws.com'), headers, payloadHash: sha256(body) },
      credentials,
      'us-east-1',
      new Date('2013-05-24T00:00:00Z'),
    ).authorization?.replace(/.*Signature=/, '')

  test('a range of an object', () => {
    expect(signatureOf('GET', '/test.txt', { range: 'bytes=0-9' })).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })

  test('an upload to a key that needs escaping', () => {
    const headers = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }
    expect(signatureOf('PUT', '/test%24file.text', headers, 'Welcome to Amazon S3.')).toBe(
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })

  test.each([
    ['a parameter without a value', '/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['a list', '/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('%s', (_, target, signature) => {
    expect(signatureOf('GET', target, {})).toBe(signature)
  })
})

test('a session token is included in the signature', () => {
  const headers = signedHeaders(
    { method: 'GET', url: new URL('https://host/b/k'), headers: {}, payloadHash: sha256('') },
    { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'temporary' },
    'us-east-1',
    new Date(0),
  )
  expect(headers).toMatchObject({ 'x-amz-security-token': 'temporary' })
  expect(headers.authorization).toContain('x-amz-date;x-amz-security-token')
})
