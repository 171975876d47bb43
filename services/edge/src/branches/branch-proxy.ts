import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request as send } from 'node:http'
import { Agent as SecureAgent, request as sendSecurely } from 'node:https'
import { cancelled, isServiceError, serviceError } from '@trellis/kit/errors'
import { createTlsFiles, type RpcTls } from '@trellis/kit/rpc'
import type { FastifyRequest } from 'fastify'
import { onRequestLost } from '../transcode/request-lost.ts'
import type { BranchProxy } from '../transcode/routes.ts'
import type { BranchLocations } from './locations.ts'

/** What a branch has to know of a request; everything else is for the edge. */
const passedRequestHeaders = [
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'traceparent',
] as const
const passedResponseHeaders = ['content-type', 'retry-after', 'www-authenticate'] as const
/** Every entry of a batch may be refused with a reason. */
const maxAnswerBytes = 32 * 1024 * 1024

const inactiveSeconds = 30
const awaySeconds = 2
/** A branch that takes nothing and says nothing for so long is given up. */
const silenceMilliseconds = 60_000

const away = (slug: string, cause?: unknown) =>
  serviceError('unavailable', `Branch "${slug}" cannot be reached just now. Send it again.`, {
    cause,
    retryAfterSeconds: awaySeconds,
  })

const inactive = (slug: string) =>
  serviceError('unavailable', `Branch "${slug}" is not active. Keep what you have until it is.`, {
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
 * Passes batches on to branches, by the slug in the path. The body goes through as it arrives, no faster than the branch takes it; the branch checks
 * the key, and its answer, with `Retry-After`, goes back. 404 for a slug that nobody knows; 503 for a branch that is not active or not
 * there, so that senders keep what they have and come again. A branch at an https address is shown the certificate of calls between
 * processes, and must show one of the same authority.
 */
export const createBranchProxy = (locations: BranchLocations, tls?: RpcTls): BranchProxy & Disposable => {
  // A connection a batch: one that was kept may be gone when a body, which cannot be sent twice, is half on its way.
  const agent = new Agent({ maxSockets: 256 })
  const secureAgent = new SecureAgent({ maxSockets: 256 })
  const files = tls && createTlsFiles(tls)

  const begin = (url: URL, options: { method: string; headers: OutgoingHttpHeaders }) => {
    if (url.protocol !== 'https:') return send(url, { ...options, agent })
    if (!files) throw new Error(`${url.origin} needs a certificate: RPC_TLS_CERT_FILE is not set.`)
    const { serverName: servername } = tls
    return sendSecurely(url, { ...options, agent: secureAgent, ...files(), ...(servername ? { servername } : {}) })
  }

  const exchange = (address: string, request: FastifyRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { raw } = request
      const sent = begin(new URL(pathOf(request), address), { method: 'POST', headers: headersOf(request) })
      const unlink = onRequestLost(raw, () => sent.destroy(cancelled()))
      sent.setTimeout(silenceMilliseconds, () => sent.destroy(new Error('The branch says nothing.')))
      sent.once('response', (head) => {
        readAll(head).then((body) => resolve({ head, body }), reject)
      })
      sent.on('error', (error) => {
        // After an answer, as a refusal before the end of the body is one, this changes nothing: what is left is read and forgotten.
        raw.unpipe(sent)
        raw.resume()
        reject(error)
      })
      sent.once('close', unlink)
      raw.pipe(sent)
    })

  const proxyToBranch: BranchProxy = async (request, reply) => {
    const { slug } = request.params as { slug: string }
    const location = await locations.find(slug)
    if (!location) throw serviceError('not_found', `There is no branch "${slug}".`)
    if (!location.active) throw inactive(slug)
    if (location.httpAddress === '') {
      locations.doubt(slug)
      throw away(slug)
    }
    let answer: Answer
    try {
      answer = await exchange(location.httpAddress, request)
    } catch (error) {
      if (isServiceError(error, 'cancelled')) throw error
      // However it failed: a branch that ended in the middle may be inactive or elsewhere by now.
      locations.doubt(slug)
      throw (await locations.find(slug))?.active === false ? inactive(slug) : away(slug, error)
    }
    const { head, body } = answer
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
