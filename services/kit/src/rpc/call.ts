import type { Caller } from './caller.ts'

/** A method as ts-proto's generic definitions describe it. */
export type MethodDefinition = {
  name: string
  requestType: MessageType
  requestStream: boolean
  responseType: MessageType
  responseStream: boolean
  options: object
}

export type MessageType = {
  // biome-ignore lint/suspicious/noExplicitAny: a generated message type, narrowed by the mapped types below
  encode: (message: any) => { finish: () => Uint8Array }
  // biome-ignore lint/suspicious/noExplicitAny: as above
  decode: (input: Uint8Array) => any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  fromPartial: (object: any) => any
}

export type ServiceDefinition = {
  name: string
  fullName: string
  methods: Record<string, MethodDefinition>
}

type Whole<Type extends MessageType> = ReturnType<Type['decode']>
type Partly<Type extends MessageType> = Parameters<Type['fromPartial']>[0]

/** What the answer carries beside its messages; on HTTP the status and headers. To be set before the first message. */
export type ResponseHead = {
  /** Another success status than the one the method declares. */
  status: (status: number) => void
  /** A response header, lower case; `set-cookie` may be added more than once. */
  header: (name: string, value: string) => void
}

/** What a handler is told about the call it answers. */
export type Call = {
  caller: Caller
  /** Aborted when the caller has gone or its deadline has passed: stop then. */
  signal: AbortSignal
  requestId: string
  traceparent: string | undefined
  /** Where the caller reached the edge, as in `https://trellis.example`; for addresses in answers. */
  origin?: string | undefined
  /**
   * The address that the caller's connection to the edge came from, where nothing says that it was forwarded for another; for rules about
   * callers of this machine. Absent where it is not known.
   */
  peer?: string | undefined
  head: ResponseHead
}

/** What a client says about a call it makes. */
export type CallOptions = {
  caller?: Caller
  signal?: AbortSignal
  requestId?: string
  traceparent?: string | undefined
  origin?: string | undefined
  peer?: string | undefined
  /** Receives status and headers, before the first message. */
  head?: ResponseHead
  /** The request has every field and will not be touched again: in one process the handler is then given it as it is. */
  handsOver?: boolean
  /** Nothing changes by the call, so that it may be made again where it failed on the way. */
  isSafe?: boolean
}

type Handler<Method extends MethodDefinition> = (
  request: Method['requestStream'] extends true
    ? AsyncIterable<Whole<Method['requestType']>>
    : Whole<Method['requestType']>,
  call: Call,
) => Method['responseStream'] extends true
  ? AsyncIterable<Partly<Method['responseType']>>
  : Promise<Partly<Method['responseType']>>

/** The handlers of a service: one function a method, checked against its definition. */
export type Handlers<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods']]: Handler<Definition['methods'][Name]>
}

type ClientMethod<Method extends MethodDefinition> = (
  request: Method['requestStream'] extends true
    ? AsyncIterable<Partly<Method['requestType']>>
    : Partly<Method['requestType']>,
  options?: CallOptions,
) => Method['responseStream'] extends true
  ? AsyncIterable<Whole<Method['responseType']>>
  : Promise<Whole<Method['responseType']>>

/** A service as its callers see it, wherever it runs. Failures arrive as ServiceFailure. */
export type RpcClient<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods']]: ClientMethod<Definition['methods'][Name]>
}

/** A service ready to be served: what it promises and who keeps the promise. Which handlers those are is checked where it is made. */
export type Implementation = {
  definition: ServiceDefinition
  // biome-ignore lint/suspicious/noExplicitAny: checked by `implementation` against the definition
  handlers: Record<string, any>
}

/** Joins a definition with its handlers, checked against it. */
export const implementation = <Definition extends ServiceDefinition>(
  definition: Definition,
  handlers: Handlers<Definition>,
): Implementation => ({ definition, handlers })
