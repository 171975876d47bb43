import { createChannel, createClient } from 'nice-grpc'
import { ClientError, type Metadata, Status } from 'nice-grpc-common'
import { type ErrorKind, errorKinds, serviceError, toCallError } from '../errors/mod.ts'
import type { CallOptions, MethodDefinition, RpcClient, ServiceDefinition } from './call.ts'
import { channelOptions } from './grpc-limits.ts'
import { errorFromMetadata, metadataToHead, requestMetadata } from './grpc-metadata.ts'
import { callWithRetry, wasLost } from './grpc-retry.ts'
import { clientCredentials, type RpcSecurity, secretMetadata } from './grpc-security.ts'
import { grpcTarget } from './grpc-target.ts'
import { announceEndMark, withEndMark } from './whole-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of RpcClient type each method
type Untyped = any

type Sentence = { kind: ErrorKind; detail: string }

const lost: Sentence = { kind: 'unavailable', detail: 'The service cannot be reached. Try again shortly.' }
const sentences: Partial<Record<Status, Sentence>> = {
  [Status.DEADLINE_EXCEEDED]: { kind: 'upstream_timeout', detail: 'The service took too long to answer.' },
  [Status.RESOURCE_EXHAUSTED]: {
    kind: 'too_large',
    detail: 'The message exceeds the size limit of calls between services.',
  },
}

/** Restores the error that the service threw; converts a transport failure into the caller's error. */
const toClientError = (error: unknown, trailer: Metadata | undefined): unknown => {
  if (!(error instanceof ClientError)) return error
  const thrown = errorFromMetadata(trailer, error)
  if (thrown) return thrown
  const unknown: Sentence = { kind: 'internal', detail: 'The service failed to answer.' }
  const { kind, detail } = wasLost(error) ? lost : (sentences[error.code] ?? unknown)
  return serviceError(kind, detail, {
    cause: error,
    ...(errorKinds[kind].status === 503 ? { retryAfterSeconds: 1 } : {}),
  })
}

type Credentials = readonly [string, string][]

/** Options may be an object with getters, so they are read one by one, not spread. */
const grpcOptions = (
  options: CallOptions,
  credentials: Credentials,
  signal: AbortSignal | undefined,
  onTrailer: (trailer: Metadata) => void,
) => {
  const metadata = requestMetadata(options)
  for (const [name, value] of credentials) metadata.set(name, value)
  return {
    metadata,
    ...(signal ? { signal } : {}),
    onHeader: (received: Metadata) => {
      if (options.head) metadataToHead(received, options.head)
    },
    onTrailer,
  }
}

/** A signal that aborts with the caller's signal or at a deadline; `clear` releases both. */
const withDeadline = (parent: AbortSignal | undefined, milliseconds: number) => {
  const controller = new AbortController()
  const leave = () => controller.abort(parent?.reason)
  if (parent?.aborted) leave()
  parent?.addEventListener('abort', leave, { once: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort(new Error('The deadline of the call has passed.'))
  }, milliseconds)
  return {
    signal: controller.signal,
    isLate: () => isLate,
    clear: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', leave)
    },
  }
}

const tooLate = (milliseconds: number) =>
  serviceError('upstream_timeout', `The service did not answer within ${Math.round(milliseconds / 1_000)} s.`)

/** The state that all calls of a channel share. */
type ChannelState = {
  credentials: Credentials
  /** Whether a call on the channel has ever been answered. */
  wasReached: boolean
}

/** A unary call, with a deadline and retries. */
const unary =
  (call: Untyped, channel: ChannelState, deadlineMilliseconds: number) =>
  async (request: Untyped, options: CallOptions = {}): Promise<Untyped> => {
    let trailer: Metadata | undefined
    const deadline = withDeadline(options.signal, deadlineMilliseconds)
    const once = () => {
      trailer = undefined
      return call(
        request,
        grpcOptions(options, channel.credentials, deadline.signal, (received) => (trailer = received)),
      )
    }
    try {
      const answer = await callWithRetry(once, {
        isSafe: options.isSafe === true,
        isAnswer: (error) => errorFromMetadata(trailer, error) !== undefined,
        wasReached: channel.wasReached,
        signal: deadline.signal,
      })
      channel.wasReached = true
      return answer
    } catch (error) {
      if (deadline.isLate()) throw tooLate(deadlineMilliseconds)
      throw toCallError(toClientError(error, trailer), options.signal)
    } finally {
      deadline.clear()
    }
  }

/** A client-streaming call. It lasts as long as its sender sends, so it has no deadline; a lost peer ends it. */
const uploading =
  (call: Untyped, { requestType }: MethodDefinition, credentials: Credentials) =>
  async (request: Untyped, options: CallOptions = {}): Promise<Untyped> => {
    let trailer: Metadata | undefined
    const { signal } = options
    const callOptions = grpcOptions(options, credentials, signal, (received) => (trailer = received))
    announceEndMark(callOptions.metadata)
    try {
      return await call(withEndMark(request, requestType.fromPartial({})), callOptions)
    } catch (error) {
      throw toCallError(toClientError(error, trailer), signal)
    }
  }

const streaming = (call: Untyped, credentials: Credentials) =>
  async function* (request: Untyped, options: CallOptions = {}): AsyncGenerator<Untyped> {
    let trailer: Metadata | undefined
    const left = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal
    try {
      yield* call(
        request,
        grpcOptions(options, credentials, signal, (received) => (trailer = received)),
      )
    } catch (error) {
      throw toCallError(toClientError(error, trailer), options.signal)
    } finally {
      left.abort()
    }
  }

export type GrpcChannelOptions = { security?: RpcSecurity }

/** A channel to the replicas at an address, which all services there share. */
export type GrpcChannel = Disposable & {
  /** Unary calls have a deadline of five minutes by default. */
  client: <Definition extends ServiceDefinition>(
    definition: Definition,
    options?: { deadlineMilliseconds?: number },
  ) => RpcClient<Definition>
}

/**
 * Opens a channel to a service at `host:port` (every address of the host is a replica), at several comma-separated `ip:port`,
 * or at `unix:///absolute/path`. Connects with the first call, and again whenever needed. Throws TypeError for
 * an invalid address.
 */
export const openGrpcChannel = (address: string, { security = {} }: GrpcChannelOptions = {}): GrpcChannel => {
  const { serverName } = security.tls ?? {}
  const channel = createChannel(grpcTarget(address), clientCredentials(security), {
    ...channelOptions,
    ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }),
  })
  const credentials = secretMetadata(security)
  const state: ChannelState = { credentials, wasReached: false }
  const client = <Definition extends ServiceDefinition>(
    definition: Definition,
    { deadlineMilliseconds = 300_000 }: { deadlineMilliseconds?: number } = {},
  ) => {
    const generated: Untyped = createClient(definition as Untyped, channel)
    const adapt = (method: MethodDefinition, call: Untyped) => {
      if (method.responseStream) return streaming(call, credentials)
      return method.requestStream ? uploading(call, method, credentials) : unary(call, state, deadlineMilliseconds)
    }
    return Object.fromEntries(
      Object.entries(definition.methods).map(([name, method]) => [name, adapt(method, generated[name])]),
    ) as RpcClient<Definition>
  }
  return { client, [Symbol.dispose]: () => channel.close() }
}

export type GrpcConnection<Definition extends ServiceDefinition> = Disposable & { client: RpcClient<Definition> }

export type GrpcClientOptions = GrpcChannelOptions & {
  /** Deadline of unary calls; default five minutes. */
  deadlineMilliseconds?: number
}

/** Opens a dedicated channel for one service, see {@link openGrpcChannel}. */
export const connectGrpc = <Definition extends ServiceDefinition>(
  definition: Definition,
  address: string,
  { deadlineMilliseconds = 300_000, ...options }: GrpcClientOptions = {},
): GrpcConnection<Definition> => {
  const channel = openGrpcChannel(address, options)
  return { client: channel.client(definition, { deadlineMilliseconds }), [Symbol.dispose]: channel[Symbol.dispose] }
}
