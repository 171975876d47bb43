import { unlink } from 'node:fs/promises'
import { createServer, ServerError } from 'nice-grpc'
import type { CallContext } from 'nice-grpc-common'
import { errorKinds, toFailure } from '../errors/mod.ts'
import type { Implementation, MethodDefinition } from './call.ts'
import { channelLimits } from './grpc-limits.ts'
import { callFromMetadata, failureToMetadata, headToMetadata } from './grpc-metadata.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of Handlers say what each method takes and gives
type Untyped = any

const callOf = (context: CallContext) =>
  callFromMetadata(context.metadata, context.signal, headToMetadata(context.header))

const toServerError = (error: unknown, context: CallContext): ServerError => {
  const failed = toFailure(error)
  failureToMetadata(failed, context.trailer)
  return new ServerError(
    errorKinds[failed.kind].grpc,
    failed.kind === 'internal' ? 'internal' : failed.message.slice(0, 1_000),
  )
}

const unary = (handler: Untyped) => async (request: Untyped, context: CallContext) => {
  try {
    return await handler(request, callOf(context))
  } catch (error) {
    throw toServerError(error, context)
  }
}

const streaming = (handler: Untyped) =>
  async function* (request: Untyped, context: CallContext) {
    try {
      yield* handler(request, callOf(context))
    } catch (error) {
      throw toServerError(error, context)
    }
  }

const adapt = (method: MethodDefinition, handler: Untyped) =>
  method.responseStream ? streaming(handler) : unary(handler)

export type GrpcServer = AsyncDisposable & { address: string }

/**
 * Serves services over gRPC on `host:port` (port 0 takes a free one) or `unix:///absolute/path`.
 * Disposing stops taking calls and waits for those in hand, up to `drainMilliseconds`.
 */
export const serveGrpc = async (
  implementations: readonly Implementation[],
  { address, drainMilliseconds = 10_000 }: { address: string; drainMilliseconds?: number },
): Promise<GrpcServer> => {
  const server = createServer(channelLimits)
  for (const { definition, handlers } of implementations) {
    const adapted = Object.entries(definition.methods).map(([name, method]) => [name, adapt(method, handlers[name])])
    server.add(definition as Untyped, Object.fromEntries(adapted))
  }
  // A socket left by a process that was killed would refuse the new one.
  if (address.startsWith('unix://')) await unlink(address.slice('unix://'.length)).catch(() => undefined)
  const port = await server.listen(address)
  return {
    address: address.startsWith('unix://') ? address : `${address.slice(0, address.lastIndexOf(':'))}:${port}`,
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => server.forceShutdown(), drainMilliseconds)
      await server.shutdown()
      clearTimeout(timer)
    },
  }
}
