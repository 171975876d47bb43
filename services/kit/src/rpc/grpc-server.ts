import { unlink } from 'node:fs/promises'
import { logVerbosity, setLogVerbosity } from '@grpc/grpc-js'
import { HealthCheckResponse } from '@trellis/protos/ts/grpc/health/v1/health.ts'
import { ByteFrame } from '@trellis/protos/ts/trellis/http/v1/messages.ts'
import { createServer, ServerError } from 'nice-grpc'
import type { CallContext } from 'nice-grpc-common'
import { errorKinds, serviceError, toCallError } from '../errors/mod.ts'
import type { Call, Implementation, MethodDefinition } from './call.ts'
import { healthService } from './grpc-health.ts'
import { serverOptions } from './grpc-limits.ts'
import { callFromMetadata, errorToMetadata, headToMetadata } from './grpc-metadata.ts'
import { admission, checkListener, type RpcSecurity, serverCredentials } from './grpc-security.ts'
import { wholeRequest } from './whole-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of Handlers type each method
type Untyped = any

const callOf = (context: CallContext) =>
  callFromMetadata(context.metadata, context.signal, headToMetadata(context.header))

const toServerError = (error: unknown, context: CallContext, onInternal: (error: unknown) => void): ServerError => {
  const failed = toCallError(error, context.signal)
  if (failed.kind === 'internal') onInternal(failed.cause ?? failed)
  errorToMetadata(failed, context.trailer)
  return new ServerError(
    errorKinds[failed.kind].grpc,
    failed.kind === 'internal' ? 'internal' : failed.message.slice(0, 1_000),
  )
}

type OnInternal = (error: unknown, context: CallContext) => void

const unary = (handler: Untyped, onInternal: OnInternal) => async (request: Untyped, context: CallContext) => {
  try {
    return await handler(request, callOf(context))
  } catch (error) {
    throw toServerError(error, context, (cause) => onInternal(cause, context))
  }
}

const streaming = (handler: Untyped, onInternal: OnInternal) =>
  async function* (request: Untyped, context: CallContext) {
    try {
      yield* handler(request, callOf(context))
    } catch (error) {
      throw toServerError(error, context, (cause) => onInternal(cause, context))
    }
  }

/** Event streams last as long as their readers, so a draining server ends them; the edge resumes them elsewhere. */
const endingWith = (ending: AbortSignal, handler: Untyped) =>
  async function* (request: Untyped, call: Call) {
    yield* handler(request, { ...call, signal: AbortSignal.any([call.signal, ending]) })
    if (ending.aborted) throw serviceError('unavailable', 'The service is being restarted.', { retryAfterSeconds: 1 })
  }

/** Downloads end by themselves and are drained; the health service ends its watchers' streams itself. */
const endsByItself = ({ responseType }: MethodDefinition) =>
  responseType === ByteFrame || responseType === HealthCheckResponse

const uploaded = (handler: Untyped) => (request: Untyped, context: CallContext) =>
  handler(wholeRequest(request, context), context)

const adapt = (method: MethodDefinition, handler: Untyped, onInternal: OnInternal, ending: AbortSignal) => {
  if (!method.responseStream)
    return method.requestStream ? uploaded(unary(handler, onInternal)) : unary(handler, onInternal)
  return streaming(endsByItself(method) ? handler : endingWith(ending, handler), onInternal)
}

export type GrpcServer = AsyncDisposable & { address: string }

export type GrpcServerOptions = {
  /** `host:port` (port 0 takes a free one) or `unix:///absolute/path`. */
  address: string
  /** Required if other machines can reach the address. */
  security?: RpcSecurity
  drainMilliseconds?: number
  /** Whether the health service reports SERVING; default true. */
  isReady?: () => boolean
  /** Receives internal errors, whose details the caller does not get. */
  onInternal?: (error: unknown, call: { requestId: string }) => void
}

/**
 * Serves services over gRPC, together with the standard health service. Disposal reports NOT_SERVING, stops accepting
 * calls and drains those in progress for up to `drainMilliseconds`. Throws InsecureListener.
 */
export const serveGrpc = async (
  implementations: readonly Implementation[],
  {
    address,
    security = {},
    drainMilliseconds = 10_000,
    isReady = () => true,
    onInternal = () => undefined,
  }: GrpcServerOptions,
): Promise<GrpcServer> => {
  checkListener(address, security)
  // grpc-js would print errors that it also throws, and that belong into our log.
  setLogVerbosity(logVerbosity.NONE)
  const ending = new AbortController()
  const reportInternal: OnInternal = (error, { metadata }) =>
    onInternal(error, { requestId: metadata.get('x-request-id') ?? '' })
  const server = createServer({ ...serverOptions(), interceptors: admission(security) })
  const names = implementations.map(({ definition }) => definition.fullName)
  const health = healthService(names, isReady, ending.signal)
  for (const { definition, handlers } of [...implementations, health]) {
    const adapted = Object.entries(definition.methods).map(([name, method]) => [
      name,
      adapt(method, handlers[name], reportInternal, ending.signal),
    ])
    server.add(definition as Untyped, Object.fromEntries(adapted))
  }
  // The socket of a killed process would prevent listening.
  if (address.startsWith('unix://')) await unlink(address.slice('unix://'.length)).catch(() => undefined)
  const port = await server.listen(address, serverCredentials(security))
  return {
    address: address.startsWith('unix://') ? address : `${address.slice(0, address.lastIndexOf(':'))}:${port}`,
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error('The server is shutting down.'))
      const timer = setTimeout(() => server.forceShutdown(), drainMilliseconds)
      await server.shutdown()
      clearTimeout(timer)
    },
  }
}
