import type { Transferable } from 'node:worker_threads'
import { isServiceError, type ServiceError, type ServiceErrorOptions, serviceError } from '@trellis/kit/errors'

/** The functions that one side of a port offers; arguments and results must survive a structured clone. */
// biome-ignore lint/suspicious/noExplicitAny: functions of any signature; each call is checked against the function that it names
export type Callable = Record<string, (...args: any[]) => unknown>

/** One end of a worker thread: its Worker outside, `parentPort` inside. */
export type Port = {
  send: (message: Message, transfer: Transferable[]) => void
  receive: (listener: (message: Message) => void) => void
}

export type Calls<Remote extends Callable> = {
  /** Rejects with the error of the other side, or with the reason why the thread ended. */
  call: <Name extends keyof Remote & string>(
    name: Name,
    args: Parameters<Remote[Name]>,
    transfer?: readonly Transferable[],
  ) => Promise<Awaited<ReturnType<Remote[Name]>>>
  /** Rejects all pending calls. */
  fail: (reason: Error) => void
  readonly pending: number
}

type Message =
  | { kind: 'call'; id: number; name: string; args: unknown[] }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'failure'; id: number; error: SentError }

/**
 * An error in transit between threads. A structured clone of an error loses its class, name and code; a service error must retain its status, and
 * callers distinguish other errors by `name` and `code`.
 */
type SentError =
  | { of: 'failure'; kind: ServiceError['kind']; detail: ServiceError['detail']; options: ServiceErrorOptions }
  | { of: 'error'; name: string; message: string; stack?: string; code?: string | number; cause?: SentError }
  | { of: 'other'; thrown: unknown }

const codeOf = (error: Error): string | number | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? code : undefined
}

const isCloneable = (value: unknown): boolean => {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}

/** Causes nested deeper than this are dropped: a chain of causes may be circular. */
const maxCauses = 8

const toSent = (error: unknown, depth = 0): SentError => {
  if (isServiceError(error)) {
    const { kind, detail, retryAfterSeconds, headers } = error
    return {
      of: 'failure',
      kind,
      detail,
      options: { headers, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    }
  }
  if (!(error instanceof Error)) return { of: 'other', thrown: isCloneable(error) ? error : String(error) }
  const { name, message, stack, cause } = error
  const code = codeOf(error)
  return {
    of: 'error',
    name,
    message,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && depth < maxCauses && { cause: toSent(cause, depth + 1) }),
  }
}

const fromSent = (sent: SentError): unknown => {
  if (sent.of === 'failure') return serviceError(sent.kind, sent.detail, sent.options)
  if (sent.of === 'other') return sent.thrown
  const { name, message, stack, code, cause } = sent
  const error = new Error(message, cause && { cause: fromSent(cause) })
  const own = { name, stack, code }
  for (const [key, value] of Object.entries(own))
    if (value !== undefined) Object.defineProperty(error, key, { value, writable: true, configurable: true })
  return error
}

/** Calls in both directions over a port: `own` implements the calls of the other side; results return as promises. */
export const createCalls = <Remote extends Callable>(port: Port, own: Callable): Calls<Remote> => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let nextId = 0

  const answer = async ({ id, name, args }: Extract<Message, { kind: 'call' }>) => {
    try {
      const value = await own[name]?.(...args)
      port.send({ kind: 'result', id, value }, [])
    } catch (error) {
      port.send({ kind: 'failure', id, error: toSent(error) }, [])
    }
  }
  port.receive((message) => {
    if (message.kind === 'call') return void answer(message)
    const caller = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.kind === 'result') caller?.resolve(message.value)
    else caller?.reject(fromSent(message.error))
  })
  return {
    get pending() {
      return waiting.size
    },
    call: (name, args, transfer = []) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
        port.send({ kind: 'call', id, name, args }, [...transfer])
      }),
    fail: (reason) => {
      for (const { reject } of waiting.values()) reject(reason)
      waiting.clear()
    },
  }
}
