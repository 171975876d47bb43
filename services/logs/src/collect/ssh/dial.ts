import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { checkedLookup, EgressRefused, refusalOfAddress } from '@trellis/kit/egress'
import type { HostAddress } from './host-keys.ts'
import { SshFailure } from './ssh-failure.ts'

/** Hosts of a home network are allowed; link-local addresses are not. */
const rules = { blockPrivate: false }

export const unreachable = ({ host, port }: HostAddress, reason: string, cause?: unknown) =>
  new SshFailure('unreachable', `${host} port ${port} cannot be reached: ${reason}.`, { cause })

const socketReasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name cannot be resolved at the moment',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ECONNRESET: 'it closed the connection',
}

/** Why a connection failed, without a full stop. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof EgressRefused) return error.message.replace(/\.$/, '')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return socketReasons[code] ?? (error instanceof Error && error.message !== '' ? error.message : code)
}

/** Connects to an allowed address; the name is checked as it is resolved at that moment. Throws SshFailure. */
export const dial = async (address: HostAddress, milliseconds: number, signal: AbortSignal): Promise<Socket> => {
  const { host, port } = address
  const refusal = isIP(host) === 0 ? undefined : refusalOfAddress(host, rules)
  if (refusal !== undefined) throw unreachable(address, refusal.replace(/\.$/, ''))
  const socket = connect({ host, port, lookup: checkedLookup(rules), noDelay: true })
  const timeout = AbortSignal.timeout(milliseconds)
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, timeout]) })
    // Errors before the first listener are ignored; the socket is destroyed then, which is checked.
    return socket.on('error', () => undefined)
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    if (timeout.aborted)
      throw new SshFailure('connect-timeout', `${host} port ${port} does not respond.`, { cause: error })
    throw unreachable(address, reasonOf(error), error)
  }
}
