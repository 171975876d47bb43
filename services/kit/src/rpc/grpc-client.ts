import { createChannel, createClient } from 'nice-grpc'
import { ClientError, type Metadata, Status } from 'nice-grpc-common'
import { type ErrorKind, errorKinds, failure } from '../errors/mod.ts'
import type { CallOptions, MethodDefinition, RpcClient, ServiceDefinition } from './call.ts'
import { channelLimits } from './grpc-limits.ts'
import { failureFromMetadata, metadataToHead, requestMetadata } from './grpc-metadata.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of RpcClient say what each method takes and gives
type Untyped = any

const sentences: Partial<Record<Status, { kind: ErrorKind; detail: string }>> = {
  [Status.UNAVAILABLE]: { kind: 'unavailable', detail: 'The service cannot be reached just now. Try again shortly.' },
  [Status.DEADLINE_EXCEEDED]: { kind: 'upstream_timeout', detail: 'The service took too long to answer.' },
  [Status.RESOURCE_EXHAUSTED]: { kind: 'too_large', detail: 'The message is larger than services exchange.' },
}

/** What a service threw, as it threw it; a failure of the way there as what it means for the caller. */
const toServiceFailure = (error: unknown, trailer: Metadata | undefined): unknown => {
  if (!(error instanceof ClientError)) return error
  const thrown = failureFromMetadata(trailer, error)
  if (thrown) return thrown
  const { kind, detail } = sentences[error.code] ?? { kind: 'internal', detail: 'The service failed to answer.' }
  return failure(kind, detail, { cause: error, ...(errorKinds[kind].status === 503 ? { retryAfterSeconds: 1 } : {}) })
}

/** Options may be an object with getters of its own, so they are read one by one, not spread. */
const grpcOptions = (
  options: CallOptions,
  signal: AbortSignal | undefined,
  onTrailer: (trailer: Metadata) => void,
) => ({
  metadata: requestMetadata(options),
  ...(signal ? { signal } : {}),
  onHeader: (metadata: Metadata) => {
    if (options.head) metadataToHead(metadata, options.head)
  },
  onTrailer,
})

const unary =
  (call: Untyped) =>
  async (request: Untyped, options: CallOptions = {}): Promise<Untyped> => {
    let trailer: Metadata | undefined
    try {
      return await call(
        request,
        grpcOptions(options, options.signal, (received) => (trailer = received)),
      )
    } catch (error) {
      throw toServiceFailure(error, trailer)
    }
  }

const streaming = (call: Untyped) =>
  async function* (request: Untyped, options: CallOptions = {}): AsyncGenerator<Untyped> {
    let trailer: Metadata | undefined
    const left = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal
    try {
      yield* call(
        request,
        grpcOptions(options, signal, (received) => (trailer = received)),
      )
    } catch (error) {
      throw toServiceFailure(error, trailer)
    } finally {
      left.abort()
    }
  }

const adapt = (method: MethodDefinition, call: Untyped) => (method.responseStream ? streaming(call) : unary(call))

export type GrpcConnection<Definition extends ServiceDefinition> = Disposable & { client: RpcClient<Definition> }

/** Calls a service over gRPC at `host:port` or `unix:///absolute/path`. */
export const connectGrpc = <Definition extends ServiceDefinition>(
  definition: Definition,
  address: string,
): GrpcConnection<Definition> => {
  const channel = createChannel(address, undefined, channelLimits)
  const generated: Untyped = createClient(definition as Untyped, channel)
  const client = Object.fromEntries(
    Object.entries(definition.methods).map(([name, method]) => [name, adapt(method, generated[name])]),
  ) as RpcClient<Definition>
  return { client, [Symbol.dispose]: () => channel.close() }
}
