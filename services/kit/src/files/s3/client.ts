import { parseRetryAfter, retry } from '../../retry/mod.ts'
import type { S3Location } from '../location.ts'
import { type Answer, createExchange, discard, readText } from './exchange.ts'
import { S3Error, s3RetryPolicy } from './s3-error.ts'
import { escapePath, escapeText, sha256, signedHeaders } from './sign.ts'
import { textOf } from './xml.ts'

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The object's name in the bucket, prefix included; without it the request is for the bucket itself. */
  name?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array
  signal?: AbortSignal | undefined
  idleMilliseconds?: number
}

/** A client of one bucket. Failed requests throw S3Error, or the error of the connection. */
export type S3Client = {
  /** Sends a request once. */
  sendOnce: (request: S3Request) => Promise<Answer>
  /** Sends an idempotent request, with retries. */
  send: (request: S3Request) => Promise<Answer>
  /** The same, and reads the whole answer as text within each attempt. */
  sendForText: (request: S3Request) => Promise<string>
  close: () => void
}

const idleMilliseconds = 20_000

const retryAfterOf = (answer: Answer): number | undefined => parseRetryAfter(answer.header('retry-after'), Date.now())

/** The URL of a bucket, which is in the path or in the host name. */
export const bucketUrl = ({
  endpoint,
  bucket,
  forcePathStyle,
}: Pick<S3Location, 'endpoint' | 'bucket' | 'forcePathStyle'>): URL => {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  if (forcePathStyle) url.pathname = `${path}/${escapeText(bucket)}`
  else {
    url.hostname = `${bucket}.${url.hostname}`
    url.pathname = path
  }
  return url
}

/** Creates a client for the bucket of a location. */
export const createS3Client = (location: S3Location): S3Client => {
  const base = bucketUrl(location)
  const exchange = createExchange(base)

  const sendOnce = async ({
    method,
    name,
    query = {},
    headers = {},
    body,
    signal,
    ...more
  }: S3Request): Promise<Answer> => {
    const url = new URL(base)
    if (name !== undefined) url.pathname = `${base.pathname === '/' ? '' : base.pathname}/${escapePath(name)}`
    url.search = Object.entries(query)
      .map(([key, value]) => `${key}=${escapeText(value)}`)
      .join('&')
    const payloadHash = sha256(body ?? '')
    const signed = signedHeaders({ method, url, headers, payloadHash }, location, location.region, new Date())
    const answer = await exchange.send({
      method,
      url,
      headers: signed,
      body,
      signal,
      idleMilliseconds: more.idleMilliseconds ?? idleMilliseconds,
    })
    if (answer.status >= 200 && answer.status < 300) return answer
    const code = method === 'HEAD' ? undefined : textOf(await readText(answer), 'Code')
    discard(answer)
    throw new S3Error(answer.status, code, retryAfterOf(answer))
  }

  return {
    sendOnce,
    send: (request) => retry(s3RetryPolicy, () => sendOnce(request), request.signal),
    sendForText: (request) => retry(s3RetryPolicy, async () => readText(await sendOnce(request)), request.signal),
    close: exchange.close,
  }
}
