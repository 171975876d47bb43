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

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of Handlers say what each method takes and gives
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

/** A stream of events goes on for as long as somebody listens, so the end of the process ends it; the edge resumes it elsewhere. */
const endingWith = (ending: AbortSignal, handler: Untyped) =>
  async function* (request: Untyped, call: Call) {
    yield* handler(request, { ...call, signal: AbortSignal.any([call.signal, ending]) })
    if (ending.aborted) throw serviceError('unavailable', 'The service is being restarted.', { retryAfterSeconds: 1 })
  }

/** Downloads do, and are waited for; a watcher of the health has to hear of the end. */
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
  /** Needed wherever another machine can reach the address. */
  security?: RpcSecurity
  drainMilliseconds?: number
  /** Whether the health service should say that calls are welcome; true unless told. */
  isReady?: () => boolean
  /** Hears of faults of ours, of which the caller is told nothing but that there was one. */
  onInternal?: (error: unknown, call: { requestId: string }) => void
}

/**
 * Serves services over gRPC, with the standard health service beside them. Disposing says NOT_SERVING, stops taking
 * calls and waits for those in hand, up to `drainMilliseconds`. Throws InsecureListener.
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
  // What it would print comes as errors, too, and belongs into our log.
  setLogVerbosity(logVerbosity.NONE)
  const ending = new AbortController()
  const tell: OnInternal = (error, { metadata }) => onInternal(error, { requestId: metadata.get('x-request-id') ?? '' })
  const server = createServer({ ...serverOptions(), interceptors: admission(security) })
  const names = implementations.map(({ definition }) => definition.fullName)
  const health = healthService(names, isReady, ending.signal)
  for (const { definition, handlers } of [...implementations, health]) {
    const adapted = Object.entries(definition.methods).map(([name, method]) => [
      name,
      adapt(method, handlers[name], tell, ending.signal),
    ])
    server.add(definition as Untyped, Object.fromEntries(adapted))
  }
  // A socket left by a process that was killed would refuse the new one.
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
