import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as send } from 'node:http'
import { Agent as SecureAgent, request as sendSecurely } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelled, isServiceError, serviceError } from '@trellis/kit/errors'
import { createTlsFiles, type RpcTls } from '@trellis/kit/rpc'
import type { FastifyRequest } from 'fastify'
import { onRequestLost } from '../transcode/request-lost.ts'
import type { BranchProxy } from '../transcode/routes.ts'
import type { BranchLocations } from './locations.ts'

/** Request headers that are forwarded to a branch. */
const passedRequestHeaders = [
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'traceparent',
] as const
const passedResponseHeaders = ['content-type', 'retry-after', 'www-authenticate'] as const
/** Large, because every entry of a batch may be rejected with a reason. */
const maxAnswerBytes = 32 * 1024 * 1024

const inactiveSeconds = 30
const awaySeconds = 2
/** A request is aborted when its branch neither reads nor answers for this long. */
const silenceMilliseconds = 60_000
/** While a branch cannot be connected to, this long it is tried again: its Service has an address slightly after it is ready, and none while its pod is replaced. */
const connectMilliseconds = 3_000
const connectPauseMilliseconds = 200

const away = (slug: string, cause?: unknown) =>
  serviceError('unavailable', `Branch "${slug}" cannot be reached. Send the batch again.`, {
    cause,
    retryAfterSeconds: awaySeconds,
  })

const inactive = (slug: string) =>
  serviceError('unavailable', `Branch "${slug}" is not active. Keep the entries and retry later.`, {
    retryAfterSeconds: inactiveSeconds,
  })

const headersOf = (request: FastifyRequest): OutgoingHttpHeaders => ({
  'x-request-id': request.id,
  ...Object.fromEntries(
    passedRequestHeaders.flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, request.headers[name]]],
    ),
  ),
})

const pathOf = (request: FastifyRequest): string => {
  const query = request.url.indexOf('?')
  return `/api/glean/batch${query < 0 ? '' : request.url.slice(query)}`
}

type Answer = { head: IncomingMessage; body: Buffer }

/** The branch accepted no connection, so nothing of the body was read. */
class NotConnected extends Error {
  constructor(cause: unknown) {
    super('The branch accepts no connection.', { cause })
  }
}

const readAll = async (answer: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxAnswerBytes) throw new Error('The answer of the branch is too long.')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/**
 * Forwards batches to branches, by the slug in the path. The body is streamed with backpressure; the branch checks the key, and its
 * answer is returned with `Retry-After`. Unknown slugs are 404; inactive or unreachable branches are 503, so that senders keep
 * their entries and retry. For a branch at an https address, both ends present certificates of the same authority (those of calls
 * between processes).
 */
export const createBranchProxy = (locations: BranchLocations, tls?: RpcTls): BranchProxy & Disposable => {
  // One connection per batch: a keep-alive connection may break during a body, which cannot be sent twice.
  const agent = new Agent({ maxSockets: 256 })
  const secureAgent = new SecureAgent({ maxSockets: 256 })
  const files = tls && createTlsFiles(tls)

  const begin = (url: URL, options: { method: string; headers: OutgoingHttpHeaders }) => {
    if (url.protocol !== 'https:') return send(url, { ...options, agent })
    if (!files) throw new Error(`${url.origin} requires a client certificate. Set RPC_TLS_CERT_FILE.`)
    const { serverName: servername } = tls
    return sendSecurely(url, { ...options, agent: secureAgent, ...files(), ...(servername ? { servername } : {}) })
  }

  const exchange = (address: string, request: FastifyRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { raw } = request
      const url = new URL(pathOf(request), address)
      const sent = begin(url, { method: 'POST', headers: headersOf(request) })
      let isConnected = false
      // The body cannot be read twice, so it is not read before the branch has accepted a connection.
      sent.once('socket', (socket) =>
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          isConnected = true
          raw.pipe(sent)
        }),
      )
      const unlink = onRequestLost(raw, () => sent.destroy(cancelled()))
      sent.setTimeout(silenceMilliseconds, () => sent.destroy(new Error('The branch does not respond.')))
      sent.once('response', (head) => {
        readAll(head).then((body) => resolve({ head, body }), reject)
      })
      sent.on('error', (error) => {
        if (!isConnected) return reject(isServiceError(error, 'cancelled') ? error : new NotConnected(error))
        // After an early answer, such as a rejection before the end of the body, `reject` has no effect; the rest of the body is discarded.
        raw.unpipe(sent)
        raw.resume()
        reject(error)
      })
      sent.once('close', unlink)
    })

  /** The address of an active branch. Throws `not_found` and `unavailable`. */
  const addressOf = async (slug: string): Promise<string> => {
    const location = await locations.find(slug)
    if (!location) throw serviceError('not_found', `There is no branch "${slug}".`)
    if (!location.active) throw inactive(slug)
    return location.httpAddress
  }

  /** The answer of a branch, once it accepts a connection. */
  const answerOf = async (slug: string, request: FastifyRequest): Promise<Answer> => {
    const until = performance.now() + connectMilliseconds
    for (;;) {
      const address = await addressOf(slug)
      let failure: unknown = new NotConnected('The branch has no address yet.')
      try {
        if (address !== '') return await exchange(address, request)
      } catch (error) {
        if (isServiceError(error, 'cancelled')) throw error
        failure = error
      }
      // Whatever the failure was, the branch may be inactive or at another address by now.
      locations.invalidate(slug)
      if (!(failure instanceof NotConnected) || performance.now() > until) {
        await addressOf(slug)
        throw away(slug, failure)
      }
      await sleep(connectPauseMilliseconds)
      if (request.raw.destroyed) throw cancelled()
    }
  }

  const proxyToBranch: BranchProxy = async (request, reply) => {
    const { slug } = request.params as { slug: string }
    const { head, body } = await answerOf(slug, request)
    reply.code(head.statusCode ?? 502)
    for (const name of passedResponseHeaders) {
      const value = head.headers[name]
      if (value !== undefined) reply.header(name, value)
    }
    reply.send(body)
  }
  const dispose = () => {
    agent.destroy()
    secureAgent.destroy()
  }
  return Object.assign(proxyToBranch, { [Symbol.dispose]: dispose })
}
