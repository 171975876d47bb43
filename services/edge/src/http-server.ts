import { lookup } from 'node:dns/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { serviceError } from '@trellis/kit/errors'
import { type TlsFiles, tlsRefreshMilliseconds } from '@trellis/kit/rpc'
import type { BodyTimeouts } from './admission/body-timeouts.ts'
import type { ConnectionShare } from './admission/connection-share.ts'
import { answerRaw, type Front } from './admission/front.ts'
import type { WriteTimeouts } from './admission/write-timeouts.ts'
import type { EdgeConfig } from './config.ts'
import type { BasePath } from './pages/base-path.ts'
import { abandonCall } from './transcode/call-context.ts'
import { brokenRequestAnswer } from './transcode/error-answer.ts'

type ConnectionConfig = Pick<EdgeConfig, 'headersSeconds' | 'keepAliveSeconds' | 'maxConnections'>

export type HttpServerOptions = {
  config: ConnectionConfig
  /** The path of the public URL, removed from requests. */
  basePath: Pick<BasePath, 'strip'>
  front: Front
  bodies: Pick<BodyTimeouts, 'watch'>
  writes: Pick<WriteTimeouts, 'watch'>
  share: ConnectionShare
  /** Headers of every answer; of a malformed request there is nothing to read. */
  headersOf: (request: Pick<IncomingMessage, 'headers' | 'url'>) => Record<string, string>
  /** Enables HTTPS; clients must present a certificate of the same authority. */
  tls?: (() => TlsFiles) | undefined
}

/** Answers 408 to a request whose body arrives too slowly, and closes its connection. */
export const answerSlowBody =
  (headersOf: HttpServerOptions['headersOf']) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    if (response.headersSent) {
      request.socket.destroy()
      return
    }
    // An answer detaches the request from its connection. Without this, the request's reader would miss the end of the connection and wait for ever.
    request.socket.once('close', () => request.destroy())
    abandonCall(response)
    const slow = serviceError('request_timeout', 'The body did not arrive in time. Send it again, faster or in parts.')
    answerRaw(response, slow, { ...headersOf(request), connection: 'close' })
  }

const ambiguousHost = serviceError('malformed', 'The request must have exactly one Host header.')

/** Whether a request names one host, as RFC 9112 (3.2) requires; HTTP/1.0 may name none. */
const hasOneHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** An HTTPS server that requires client certificates and reloads its renewed certificate. */
const createSecureServer = (options: ServerOptions, tls: () => TlsFiles, answer: RequestListener): Server => {
  const server = createTlsServer({ ...options, ...tls(), requestCert: true, rejectUnauthorized: true }, answer)
  const timer = setInterval(() => server.setSecureContext(tls()), tlsRefreshMilliseconds).unref()
  return server.once('close', () => clearInterval(timer))
}

/** An HTTP server that runs the front before the framework, and limits its connections. */
export const createHttpServer = (
  listener: RequestListener,
  { config, basePath, front, bodies, writes, share, headersOf, tls }: HttpServerOptions,
): Server => {
  const options = {
    headersTimeout: config.headersSeconds * 1_000,
    keepAliveTimeout: config.keepAliveSeconds * 1_000,
    // createBodyTimeouts limits the time of bodies instead.
    requestTimeout: 0,
    connectionsCheckingInterval: 1_000,
    // Node would answer without a detail, and accept several; see hasOneHost.
    requireHostHeader: false,
  }
  const answer: RequestListener = (request, response) => {
    request.url = basePath.strip(request.url ?? '')
    bodies.watch(request, response)
    const refusal = hasOneHost(request) ? front(request) : ambiguousHost
    if (refusal) answerRaw(response, refusal, headersOf(request))
    else listener(request, response)
  }
  const server = tls ? createSecureServer(options, tls, answer) : createServer(options, answer)
  // Node would answer 417 without a detail. An expectation that is not known may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', answer)
  // With TLS, unsent bytes are counted on the TLS socket.
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (share.admit(socket)) writes.watch(socket)
  })
  server.maxConnections = config.maxConnections
  // Idle connections are closed in favour of new clients.
  server.on('drop', () => server.closeIdleConnections())
  return server
}

const listenOn = (server: Server, port: number, address: string): Promise<Server | undefined> =>
  new Promise((resolve) => {
    server.once('error', () => resolve(undefined)).listen(port, address, () => resolve(server))
  })

const addressesOfLocalhost = async (): Promise<string[]> =>
  (await lookup('localhost', { all: true })).map(({ address }) => address)

/** The HTTP servers of an edge: one, or one for each address of `localhost`. */
export const createServers = (options: HttpServerOptions) => {
  let handler: RequestListener | undefined
  const servers: Server[] = []
  return {
    create: (listener: RequestListener): Server => {
      handler = listener
      const server = createHttpServer(listener, options)
      servers.push(server)
      return server
    },
    /**
     * Listens on the other addresses of `localhost`, because some clients try IPv6 first and
     * others only IPv4. Addresses that are missing or in use are skipped.
     */
    listenOnOtherLoopback: async (main: Server, addresses = addressesOfLocalhost): Promise<void> => {
      const bound = main.address()
      if (!handler || bound === null || typeof bound === 'string') return
      for (const address of await addresses()) {
        if (address === bound.address) continue
        // The framework adds this handler to the main server only.
        const onBroken = brokenRequestAnswer(options.headersOf)
        const other = createHttpServer(handler, options).on('clientError', onBroken)
        const server = await listenOn(other, bound.port, address)
        if (server) servers.push(server)
      }
    },
    closeOthers: (): void => {
      for (const server of servers.slice(1)) server.close()
    },
    closeAllConnections: (): void => {
      for (const server of servers) server.closeAllConnections()
    },
  }
}
