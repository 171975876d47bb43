import { once } from 'node:events'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { serviceError } from '../../errors/mod.ts'
import { isRetryable, systemCode } from './s3-error.ts'

export type Outgoing = {
  method: string
  url: URL
  headers: Record<string, string>
  body?: Uint8Array | undefined
  signal?: AbortSignal | undefined
  /** How long the connection may be idle. */
  idleMilliseconds: number
}

/** An answer; its receiver must read or destroy the body. */
export type Answer = {
  status: number
  header: (name: string) => string | undefined
  body: IncomingMessage
}

/** Maximum connections to one store; further requests wait. */
const maxSockets = 256
/** Maximum size of an answer that is read as text. */
const maxTextBytes = 16 * 1024 * 1024

class SilentConnection extends Error {
  override name = 'SilentConnection'
  readonly code = 'ETIMEDOUT'
}

/** Drains an answer, so that its connection can be reused. */
export const discard = ({ body }: Answer): void => {
  body.on('error', () => undefined).resume()
}

/** Converts permanent errors, such as an untrusted certificate, into `unavailable`; retryable errors and aborts pass through. */
const throwReadable = (error: unknown): never => {
  const code = systemCode(error)
  if (isRetryable(error) || code === undefined || code === 'ABORT_ERR') throw error
  throw serviceError('unavailable', `The connection to the object store failed: ${code}.`, { cause: error })
}

/** Reads an answer's body as text. */
export const readText = async ({ body }: Answer): Promise<string> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.byteLength
    if (size > maxTextBytes) throw new RangeError('The answer of the store exceeds the maximum size.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** HTTP requests over keep-alive connections, without retries and without redirects. */
export const createExchange = (endpoint: URL) => {
  const secure = endpoint.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: maxSockets }
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options)
  const open = secure ? httpsRequest : httpRequest

  const send = async ({ method, url, headers, body, signal, idleMilliseconds }: Outgoing): Promise<Answer> => {
    signal?.throwIfAborted()
    const length = body || method === 'PUT' || method === 'POST' ? { 'content-length': body?.byteLength ?? 0 } : {}
    const request = open(url, { method, headers: { ...headers, ...length }, agent, ...(signal ? { signal } : {}) })
    request.setTimeout(idleMilliseconds, () =>
      request.destroy(new SilentConnection('The store did not answer in time.')),
    )
    request.end(body)
    const [answer] = (await once(request, 'response').catch(throwReadable)) as [IncomingMessage]
    // Without this listener, an error after the answer's head would end the process; the body's reader gets the error.
    request.on('error', () => undefined)
    return {
      status: answer.statusCode ?? 0,
      header: (name) => {
        const value = answer.headers[name]
        return Array.isArray(value) ? value[0] : value
      },
      body: answer,
    }
  }
  return { send, close: () => agent.destroy() }
}
