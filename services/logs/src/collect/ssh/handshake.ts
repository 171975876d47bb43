import type { Socket } from 'node:net'
import { addAbortListener } from '@trellis/kit/lifecycle'
import type { Client, ServerHostKeyAlgorithm } from 'ssh2'
import { reasonOf, unreachable } from './dial.ts'
import type { HostKeys, HostKeyVerdict } from './host-keys.ts'
import { SshFailure } from './ssh-failure.ts'

/** How a host is reached: with a key alone. */
export type SshAddress = { host: string; port: number; user: string; keyPath: string }

export type SshLimits = {
  connectMilliseconds: number
  /** From connected to let in. */
  handshakeMilliseconds: number
  keepaliveMilliseconds: number
  /** Signs of life that may be missed. */
  keepalivesMissed: number
  /** Commands and transfers at a time; sshd allows ten (MaxSessions). */
  channels: number
  /** From a request, for a file's bytes or to start a program, to its answer. */
  answerMilliseconds: number
  /** In which a program that runs there writes nothing. */
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

/** A host that has let us in. */
export type Session = {
  client: Client
  /** Of the host's key. */
  fingerprint: string
  /** Resolves when the connection is over, with what broke it. */
  closed: Promise<unknown>
  end: () => Promise<void>
}

export type Handshake = {
  address: SshAddress
  privateKey: Buffer
  hostKeys: HostKeys
  limits: SshLimits
  signal: AbortSignal
  /** A changed key with this fingerprint is taken. */
  acceptHostKey: string | undefined
}

/** The algorithms by which a host proves that it has a key of a type. */
const algorithmsOf = (type: string): ServerHostKeyAlgorithm[] =>
  (type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] : [type]) as ServerHostKeyAlgorithm[]

/** What the library says about a handshake that failed, in words that help. */
const handshakeFailure = (address: SshAddress, error: Error & { level?: string }): SshFailure => {
  const { host, user, keyPath } = address
  if (error.level === 'client-authentication')
    return new SshFailure(
      'refused',
      `${host} does not let ${user} in with the key ${keyPath}: its public half must be in ~/.ssh/authorized_keys there.`,
      { cause: error },
    )
  if (error.level === 'client-timeout')
    return new SshFailure('timeout', `${host} did not finish the handshake of SSH in time.`, { cause: error })
  if (/no matching host key/i.test(error.message))
    return new SshFailure(
      'host-key',
      `${host} has no key any more of the kind that it was known by: somebody may be in between. ` +
        `If its keys were changed, test the target with {"accept_host_key": "SHA256:..."}, the fingerprint of its new key.`,
      { cause: error },
    )
  return unreachable(address, reasonOf(error).replace(/\.$/, ''), error)
}

/**
 * Makes a session on a socket: the host's key is judged before anything is shown to the host, then the key alone proves who we are; no
 * password, no agent, no question is answered. The socket is the session's from here on. Throws SshFailure.
 */
export const shakeHands = async (socket: Socket, handshake: Handshake): Promise<Session> => {
  const { address, privateKey, hostKeys, limits, signal, acceptHostKey } = handshake
  const types = acceptHostKey === undefined ? await hostKeys.typesOf(address) : []
  const { Client: SshClient } = (await import('ssh2')).default
  if (socket.destroyed) throw unreachable(address, 'it broke the connection off')
  const client = new SshClient()
  let verdict: HostKeyVerdict | undefined
  let trouble: unknown
  const closed = new Promise<unknown>((resolve) => {
    client.once('close', () => resolve(trouble))
    socket.once('close', () => resolve(trouble))
  })
  const end = async () => {
    client.destroy()
    socket.destroy()
    await closed
  }
  const ready = new Promise<void>((resolve, reject) => {
    client.once('ready', resolve)
    client.on('error', (error) => {
      trouble ??= error
      reject(error)
    })
    void closed.then(() => reject(trouble ?? new Error('it broke the connection off')))
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
            trouble = error
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
    throw handshakeFailure(address, (trouble instanceof Error ? trouble : error) as Error)
  } finally {
    unlink()
  }
}
