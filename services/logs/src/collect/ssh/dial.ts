import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { checkedLookup, EgressRefused, refusalOfAddress } from '@trellis/kit/egress'
import type { HostAddress } from './host-keys.ts'
import { SshFailure } from './ssh-failure.ts'

/** Hosts of a home network are what this is for; link-local addresses are refused nevertheless. */
const rules = { blockPrivate: false }

export const unreachable = ({ host, port }: HostAddress, reason: string, cause?: unknown) =>
  new SshFailure('unreachable', `${host} port ${port} cannot be reached: ${reason}.`, { cause })

const socketReasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name cannot be looked up just now',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ECONNRESET: 'it broke the connection off',
}

/** Why a connection failed, in words without a full stop. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof EgressRefused) return error.message.replace(/\.$/, '')
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return socketReasons[code] ?? (error instanceof Error && error.message !== '' ? error.message : code)
}

/** Connects to an address that may be connected to, whatever the name stands for at that moment. Throws SshFailure. */
export const dial = async (address: HostAddress, milliseconds: number, signal: AbortSignal): Promise<Socket> => {
  const { host, port } = address
  const refusal = isIP(host) === 0 ? undefined : refusalOfAddress(host, rules)
  if (refusal !== undefined) throw unreachable(address, refusal.replace(/\.$/, ''))
  const socket = connect({ host, port, lookup: checkedLookup(rules), noDelay: true })
  const patience = AbortSignal.timeout(milliseconds)
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, patience]) })
    // Until somebody listens, it may break; that it is destroyed says enough.
    return socket.on('error', () => undefined)
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    if (patience.aborted) throw new SshFailure('timeout', `${host} port ${port} does not answer.`, { cause: error })
    throw unreachable(address, reasonOf(error), error)
  }
}
