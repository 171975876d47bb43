import type { Caller } from './caller.ts'

/** A method in ts-proto's generic definitions. */
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

/** Status and headers of an HTTP answer. To be set before the first message. */
export type ResponseHead = {
  /** Overrides the success status that the method declares. */
  status: (status: number) => void
  /** Adds a response header, in lower case; `set-cookie` may be added more than once. */
  header: (name: string, value: string) => void
}

/** The context of a call, for its handler. */
export type Call = {
  caller: Caller
  /** Aborted when the caller has disconnected or its deadline has passed; the handler must stop then. */
  signal: AbortSignal
  requestId: string
  traceparent: string | undefined
  /** The origin at which the caller reached the edge, such as `https://trellis.example`; for URLs in answers. */
  origin?: string | undefined
  /**
   * The remote address of the caller's connection to the edge, unless the request was forwarded by a proxy; for rules about
   * callers on this machine. Absent where it is unknown.
   */
  peer?: string | undefined
  /**
   * The client that limits of callers without an account count: an address, or the network of an IPv6 address; of trusted proxies
   * the address that they report. Absent where it is unknown, and for clients on this machine.
   */
  client?: string | undefined
  /** Only the head of the answer is sent (HTTP's HEAD), so the call counts as no download. */
  isHeadOnly?: boolean | undefined
  head: ResponseHead
}

/** Options of a client's call. */
export type CallOptions = {
  caller?: Caller
  signal?: AbortSignal
  requestId?: string
  traceparent?: string | undefined
  origin?: string | undefined
  peer?: string | undefined
  client?: string | undefined
  isHeadOnly?: boolean | undefined
  /** Receives status and headers, before the first message. */
  head?: ResponseHead
  /** The request has every field and the caller will not use it again, so an in-process call passes it on without a copy. */
  handsOver?: boolean
  /** The call changes nothing, so it may be retried after a transport failure. */
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

/** The handlers of a service: one function per method, checked against its definition. */
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

/** A client of a service, in this process or another. Failures are thrown as ServiceError. */
export type RpcClient<Definition extends ServiceDefinition> = {
  [Name in keyof Definition['methods']]: ClientMethod<Definition['methods'][Name]>
}

/** A service definition with its handlers. `implementation` checks their types. */
export type Implementation = {
  definition: ServiceDefinition
  // biome-ignore lint/suspicious/noExplicitAny: checked by `implementation` against the definition
  handlers: Record<string, any>
}

/** Pairs a definition with its handlers, with type checks. */
export const implementation = <Definition extends ServiceDefinition>(
  definition: Definition,
  handlers: Handlers<Definition>,
): Implementation => ({ definition, handlers })
