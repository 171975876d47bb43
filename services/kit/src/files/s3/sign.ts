import { createHash, createHmac } from 'node:crypto'

export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type SignableRequest = {
  method: string
  url: URL
  /** Lower-case names. All of them are signed. */
  headers: Record<string, string>
  /** SHA-256 of the body in hex. The store rejects any other body, so it is also a checksum. */
  payloadHash: string
}

/** SHA-256 in hex. */
export const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')

const hmac = (key: string | Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Percent-encodes all but RFC 3986's unreserved characters; `encodeURIComponent` leaves five more. */
export const escapeText = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** Escapes a path except for its slashes. */
export const escapePath = (path: string): string => path.split('/').map(escapeText).join('/')

const canonicalQuery = (parameters: URLSearchParams): string =>
  [...parameters]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escapeText(name)}=${escapeText(value)}`)
    .join('&')

/** `20130524T000000Z`. */
const compactTime = (time: Date): string => `${time.toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`

/**
 * The headers of a request, signed with AWS Signature Version 4 for the service `s3`, where a path is escaped once. The URL's
 * path must be escaped already (`escapePath`).
 */
export const signedHeaders = (
  { method, url, headers, payloadHash }: SignableRequest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  region: string,
  now: Date,
): Record<string, string> => {
  const time = compactTime(now)
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const all: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  }
  const names = Object.keys(all).toSorted()
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${(all[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day))
  const signature = hmac(key, toSign).toString('hex')
  const proof = `Credential=${accessKeyId}/${scope},SignedHeaders=${names.join(';')},Signature=${signature}`
  return { ...all, authorization: `AWS4-HMAC-SHA256 ${proof}` }
}
