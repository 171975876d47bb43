import type { Socket } from 'node:net'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { Client, ServerHostKeyAlgorithm } from 'ssh2'
import { reasonOf, unreachable } from './dial.ts'
import type { HostKeys, HostKeyVerdict } from './host-keys.ts'
import { SshFailure } from './ssh-failure.ts'

/** The address of a host, and the key that is used. */
export type SshAddress = { host: string; port: number; user: string; keyPath: string }

export type SshLimits = {
  connectMilliseconds: number
  /** From the connection to the end of authentication. */
  handshakeMilliseconds: number
  keepaliveMilliseconds: number
  /** The number of unanswered keepalives after which the connection is closed. */
  keepalivesMissed: number
  /** Concurrent commands and transfers; sshd allows ten (MaxSessions). */
  channels: number
  /** From a request, for a file's bytes or to start a program, to its response. */
  answerMilliseconds: number
  /** The maximum time in which a remote program writes no output. */
  silenceMilliseconds: number
}

export const sshLimits: SshLimits = {
  connectMilliseconds: 10_000,
  handshakeMilliseconds: 15_000,
  keepaliveMilliseconds: 15_000,
  keepalivesMissed: 3,
  channels: 6,
  answerMilliseconds: 60_000,
  silenceMilliseconds: 300_000,
}

/** An authenticated session with a host. */
export type Session = {
  client: Client
  /** The fingerprint of the host's key. */
  fingerprint: string
  /** Resolves when the connection has ended, with the error that ended it. */
  closed: Promise<unknown>
  end: () => Promise<void>
}

export type Handshake = {
  address: SshAddress
  privateKey: Buffer
  hostKeys: HostKeys
  limits: SshLimits
  signal: AbortSignal
  /** Accepts a changed key with this fingerprint. */
  acceptHostKey: string | undefined
}

/** The signature algorithms of a type of host key. */
const algorithmsOf = (type: string): ServerHostKeyAlgorithm[] =>
  (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [type]) as ServerHostKeyAlgorithm[]

/** Converts an error of the library during the handshake to a helpful message. */
const handshakeFailure = (address: SshAddress, error: Error & { level?: string }): SshFailure => {
  const { host, user, keyPath } = address
  if (error.level === 'client-authentication')
    return new SshFailure(
      'refused',
      `${host} does not accept the key ${keyPath} for ${user}: its public half must be in ~/.ssh/authorized_keys there.`,
      { cause: error },
    )
  if (error.level === 'client-timeout')
    return new SshFailure('connect-timeout', `${host} did not finish the SSH handshake in time.`, { cause: error })
  if (/no matching host key/i.test(error.message))
    return new SshFailure(
      'host-key',
      `${host} no longer has a key of the type that is stored for it: this may be a man-in-the-middle attack. ` +
        `If its keys were changed, test the target with {"accept_host_key": "SHA256:..."}, the fingerprint of its new key.`,
      { cause: error },
    )
  if (/^connection lost before handshake$/i.test(error.message))
    return unreachable(address, 'it closed the connection', error)
  return unreachable(address, reasonOf(error).replace(/\.$/, ''), error)
}

/**
 * Opens a session on a socket. The host's key is verified before any data is sent to the host, then only the key is used for authentication: no
 * password, no agent, no interactive prompts. The session owns the socket. Throws SshFailure.
 */
export const shakeHands = async (socket: Socket, handshake: Handshake): Promise<Session> => {
  const { address, privateKey, hostKeys, limits, signal, acceptHostKey } = handshake
  const types = acceptHostKey === undefined ? await hostKeys.typesOf(address) : []
  const { Client: SshClient } = (await import('ssh2')).default
  if (socket.destroyed) throw unreachable(address, 'it closed the connection')
  const client = new SshClient()
  let verdict: HostKeyVerdict | undefined
  let failure: unknown
  const closed = new Promise<unknown>((resolve) => {
    client.once('close', () => resolve(failure))
    socket.once('close', () => resolve(failure))
  })
  const end = async () => {
    client.destroy()
    socket.destroy()
    await closed
  }
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    client.on('error', (error) => {
      failure ??= error
      reject(error)
    })
    void closed.then(() => reject(failure ?? new Error('it closed the connection')))
    client.connect({
      sock: socket,
      username: address.user,
      privateKey,
      authHandler: ['publickey'],
      tryKeyboard: false,
      readyTimeout: limits.handshakeMilliseconds,
      keepaliveInterval: limits.keepaliveMilliseconds,
      keepaliveCountMax: limits.keepalivesMissed,
      ...(types.length > 0 && { algorithms: { serverHostKey: types.flatMap(algorithmsOf) } }),
      hostVerifier: (hostKey: Buffer, verify: (accepted: boolean) => void) => {
        hostKeys.judge(address, hostKey, acceptHostKey).then(
          (judged) => {
            verdict = judged
            verify(judged.accepted)
          },
          (error: unknown) => {
            failure = error
            verify(false)
          },
        )
      },
    })
  })
  const unlink = addAbortListener(signal, () => void end())
  try {
    await ready
    return { client, closed, end, fingerprint: verdict?.fingerprint ?? '' }
  } catch (error) {
    await end()
    signal.throwIfAborted()
    const judged = verdict as HostKeyVerdict | undefined
    if (judged?.accepted === false)
      throw new SshFailure('host-key', judged.refusal, { cause: error, fingerprint: judged.fingerprint })
    const failed = handshakeFailure(address, (failure instanceof Error ? failure : error) as Error)
    if (!judged) throw failed
    throw new SshFailure(failed.reason, failed.message, { cause: failed.cause, fingerprint: judged.fingerprint })
  } finally {
    unlink()
  }
}
