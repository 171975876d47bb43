import { Metadata } from 'nice-grpc-common'
import { type Detail, type ErrorKind, errorKinds, type ServiceError, serviceError } from '../errors/mod.ts'
import type { Call, CallOptions, ResponseHead } from './call.ts'
import { anonymous, type Caller } from './caller.ts'
import { callerKey, clientKey, peerKey } from './grpc-security.ts'

const requestIdKey = 'x-request-id'
const traceKey = 'traceparent'
const originKey = 'x-trellis-origin'
const headOnlyKey = 'x-trellis-head-only'
const statusKey = 'x-http-status'
const headerPrefix = 'x-http-header-'
const failureKey = 'x-trellis-failure-bin'

/** Details beyond this length are cut, because larger trailers make HTTP/2 end the stream without a status. */
const detailLimit = 32_000

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

export const requestMetadata = ({
  caller = anonymous,
  requestId,
  traceparent,
  origin,
  peer,
  client,
  isHeadOnly,
}: CallOptions): Metadata => {
  const metadata = Metadata({ [callerKey]: json(caller) })
  if (requestId) metadata.set(requestIdKey, requestId)
  if (traceparent) metadata.set(traceKey, traceparent)
  if (origin) metadata.set(originKey, origin)
  if (peer) metadata.set(peerKey, peer)
  if (client) metadata.set(clientKey, client)
  if (isHeadOnly) metadata.set(headOnlyKey, 'true')
  return metadata
}

export const callFromMetadata = (metadata: Metadata, signal: AbortSignal, head: ResponseHead): Call => {
  const caller = metadata.get(callerKey)
  return {
    caller: caller ? (parse(caller) as Caller) : anonymous,
    signal,
    requestId: metadata.get(requestIdKey) ?? '',
    traceparent: metadata.get(traceKey),
    origin: metadata.get(originKey),
    peer: metadata.get(peerKey),
    client: metadata.get(clientKey),
    isHeadOnly: metadata.get(headOnlyKey) === 'true',
    head,
  }
}

/** A head that writes into response metadata. */
export const headToMetadata = (metadata: Metadata): ResponseHead => ({
  status: (status) => metadata.set(statusKey, String(status)),
  header: (name, value) => metadata.append(`${headerPrefix}${name}`, encodeURIComponent(value)),
})

export const metadataToHead = (metadata: Metadata, head: ResponseHead): void => {
  const status = metadata.get(statusKey)
  if (status !== undefined) head.status(Number(status))
  for (const [key, values] of metadata) {
    if (!key.startsWith(headerPrefix)) continue
    for (const value of values) head.header(key.slice(headerPrefix.length), decodeURIComponent(String(value)))
  }
}

type Wire = { kind: ErrorKind; detail: Detail; retryAfterSeconds?: number; headers: Record<string, string> }

const cut = (detail: Detail): Detail => {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
  if (text.length <= detailLimit) return detail
  if (Array.isArray(detail)) return detail.slice(0, 50)
  return `${text.slice(0, detailLimit)}…`
}

export const errorToMetadata = (error: ServiceError, metadata: Metadata): void => {
  const { kind, detail, retryAfterSeconds, headers } = error
  const wire: Wire = {
    kind,
    detail: cut(detail),
    headers,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  metadata.set(failureKey, json(wire))
}

export const errorFromMetadata = (metadata: Metadata | undefined, cause: unknown): ServiceError | undefined => {
  const bytes = metadata?.get(failureKey)
  if (!bytes) return undefined
  const { kind, detail, retryAfterSeconds, headers } = parse(bytes) as Wire
  return Object.hasOwn(errorKinds, kind)
    ? serviceError(kind, detail, { cause, headers, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
    : undefined
}
