import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'

/** No connection was established in time, so nothing was sent. */
class ConnectTimeout extends Error {
  override name = 'ConnectTimeout'
  readonly code = 'ERR_CONNECT_TIMEOUT'
}

export type HttpRequest = {
  agent: Agent
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body?: string | undefined
  /** Milliseconds within which a connection is established, the TLS handshake included; 10 s by default. */
  connectTimeout?: number
  /** Ends the request and its response. */
  signal: AbortSignal
  /** Called when a connection is established, right before the request is written; if it throws, nothing is written. */
  beforeWrite?: (() => void) | undefined
}

/** `secureConnecting` is set during the handshake of TLS; the types of Node lack it. */
const isConnecting = (socket: Socket & { secureConnecting?: boolean }): boolean =>
  socket.connecting || socket.secureConnecting === true

/** Calls `connected` once a socket is connected. A socket that is not connected within `timeout` milliseconds is destroyed. */
const onceConnected = (socket: Socket, event: 'connect' | 'secureConnect', timeout: number, connected: () => void) => {
  if (!isConnecting(socket)) {
    connected()
    return
  }
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout(`no connection within ${timeout} ms`)), timeout)
  socket.once('close', () => clearTimeout(timer))
  socket.once(event, () => {
    clearTimeout(timer)
    connected()
  })
}

/**
 * Sends a request and returns the response without its body. Throws the error of the
 * connection, the reason of the signal, or what `beforeWrite` throws.
 */
export const send = ({
  agent,
  url,
  method,
  headers,
  body,
  connectTimeout = 10_000,
  signal,
  beforeWrite,
}: HttpRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const isSecure = url.protocol === 'https:'
    // Node would send the body of a DELETE without its length.
    const framed = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    const request = (isSecure ? requestHttps : requestHttp)(url, { agent, method, headers: framed }, resolve)
    // Node destroys a request that waits for a connection only when there is one.
    const abort = () => {
      request.destroy(signal.reason)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    request.once('close', () => signal.removeEventListener('abort', abort))
    request.on('error', reject)
    request.once('socket', (socket) =>
      onceConnected(socket, isSecure ? 'secureConnect' : 'connect', connectTimeout, () => {
        try {
          beforeWrite?.()
        } catch (error) {
          request.destroy(error as Error)
          return
        }
        request.end(body)
      }),
    )
  })
