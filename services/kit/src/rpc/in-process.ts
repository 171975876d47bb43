import { isServiceError, toCallError } from '../errors/mod.ts'
import { childAbortController, untilAborted } from '../lifecycle/mod.ts'
import type {
  Call,
  CallOptions,
  Handlers,
  MethodDefinition,
  ResponseHead,
  RpcClient,
  ServiceDefinition,
} from './call.ts'
import { anonymous, type Caller } from './caller.ts'

// biome-ignore lint/suspicious/noExplicitAny: the mapped types of RpcClient and Handlers type each method
type Untyped = any

const ignoreHead = { status: () => undefined, header: () => undefined }
const never = new AbortController().signal

const streamCall = (options: CallOptions, signal: AbortSignal): Call => ({
  caller: options.caller ?? anonymous,
  signal,
  requestId: options.requestId ?? '',
  traceparent: options.traceparent,
  origin: options.origin,
  peer: options.peer,
  client: options.client,
  isHeadOnly: options.isHeadOnly,
  head: options.head ?? ignoreHead,
})

/** The handler's view of the options. Reads the signal lazily, because the options may create it on first access. */
class UnaryCall implements Call {
  readonly #options: CallOptions

  constructor(options: CallOptions) {
    this.#options = options
  }

  get caller(): Caller {
    return this.#options.caller ?? anonymous
  }

  get signal(): AbortSignal {
    return this.#options.signal ?? never
  }

  get requestId(): string {
    return this.#options.requestId ?? ''
  }

  get traceparent(): string | undefined {
    return this.#options.traceparent
  }

  get origin(): string | undefined {
    return this.#options.origin
  }

  get peer(): string | undefined {
    return this.#options.peer
  }

  get client(): string | undefined {
    return this.#options.client
  }

  get isHeadOnly(): boolean | undefined {
    return this.#options.isHeadOnly
  }

  get head(): ResponseHead {
    return this.#options.head ?? ignoreHead
  }
}

/** Whether the options already are a complete call. */
const isCall = (options: CallOptions): options is Call =>
  options.head !== undefined && options.caller !== undefined && options.requestId !== undefined && 'signal' in options

async function* complete(messages: AsyncIterable<Untyped>, type: MethodDefinition['requestType']) {
  for await (const message of messages) yield type.fromPartial(message)
}

const wholeRequest = (method: MethodDefinition, request: Untyped, options: CallOptions): Untyped => {
  if (!method.requestStream) return options.handsOver ? request : method.requestType.fromPartial(request)
  return complete(untilAborted(request, options.signal ?? never), method.requestType)
}

const unary =
  (method: MethodDefinition, handler: Untyped) =>
  async (request: Untyped, options: CallOptions = {}): Promise<Untyped> => {
    try {
      const whole = wholeRequest(method, request, options)
      return method.responseType.fromPartial(await handler(whole, isCall(options) ? options : new UnaryCall(options)))
    } catch (error) {
      throw isServiceError(error) ? error : toCallError(error, options.signal)
    }
  }

/** Aborts the handler's signal as soon as the caller stops reading or aborts, even while the handler waits. */
const streaming = (method: MethodDefinition, handler: Untyped) =>
  async function* (request: Untyped, options: CallOptions = {}): AsyncGenerator<Untyped> {
    using left = childAbortController(options.signal ?? never)
    const { signal } = left
    try {
      const whole = wholeRequest(method, request, options)
      for await (const message of handler(whole, streamCall(options, signal)))
        yield method.responseType.fromPartial(message)
    } catch (error) {
      throw toCallError(error, signal)
    } finally {
      left.abort()
    }
  }

/**
 * Calls a service in the same process, without serialization or sockets, and with the same behaviour as over gRPC. Each side gets
 * its own messages with every field present; nested maps may be shared, so neither side may modify messages that it received.
 */
export const connectInProcess = <Definition extends ServiceDefinition>(
  definition: Definition,
  handlers: Handlers<Definition>,
): RpcClient<Definition> =>
  Object.fromEntries(
    Object.entries(definition.methods).map(([name, method]) => {
      const handler = handlers[name]
      return [name, method.responseStream ? streaming(method, handler) : unary(method, handler)]
    }),
  ) as RpcClient<Definition>
