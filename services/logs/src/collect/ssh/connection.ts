import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@trellis/kit/errors'
import { addAbortListener, createSerialQueue } from '@trellis/kit/lifecycle'
import type { ClientChannel, SFTPWrapper } from 'ssh2'
import { createGate } from '../../threads/gate.ts'
import type { RunCommand, RunningCommand } from '../command.ts'
import { dial } from './dial.ts'
import { type SshAddress, type SshLimits, shakeHands, sshLimits } from './handshake.ts'
import type { HostKeys } from './host-keys.ts'
import { readKeyFile } from './key-file.ts'
import { followCommand, tetheredCommand } from './remote-command.ts'
import { isSshFailure, SshFailure } from './ssh-failure.ts'

/** A connection to a remote host. All its operations fail with SshFailure once it is broken. */
export type SshConnection = AsyncDisposable & {
  readonly isOpen: boolean
  /** The fingerprint of the host's key. */
  readonly fingerprint: string
  /** Problems with the permissions of the key's file. */
  readonly warnings: readonly string[]
  /** Runs a program on the remote host. Its arguments are quoted for the shell that sshd starts. */
  run: RunCommand
  /** Opens the remote host's files; throws SshFailure if SFTP is disabled, and the signal's reason when it aborts. */
  openFiles: (signal: AbortSignal) => Promise<SFTPWrapper>
  /** Waits for a response of the remote host within the limit. Throws SshFailure and ends the connection after a timeout. */
  answered: <Answer>(answer: Promise<Answer>) => Promise<Answer>
  /** Connects to a Unix socket on the remote host. Throws the signal's reason when it aborts. */
  dialSocket: (path: string, signal: AbortSignal) => Promise<Duplex>
}

export type SshOptions = {
  hostKeys: HostKeys
  /** The folders in which keys are allowed. */
  keyFolders: readonly string[]
  limits?: Partial<SshLimits>
}

export type Opening = {
  signal: AbortSignal
  /** Accepts a changed key of the host with this fingerprint. */
  acceptHostKey?: string | undefined
}

type Closable = {
  once: (event: 'close', listener: () => void) => unknown
  end: () => unknown
  resume?: () => unknown
  destroy?: () => unknown
}
type OpenChannel<Channel> = (done: (error: Error | undefined, channel: Channel) => void) => unknown
/** How a channel is opened; `signal` ends the wait for it. */
type Attempt<Channel extends Closable, Result> = {
  open: OpenChannel<Channel>
  /** Receives the channel before its first event. */
  take: (channel: Channel) => Result
  signal: AbortSignal
}

/** Closes a channel that is not used; it closes only after its output has been read. */
const discard = (channel: Closable) => {
  channel.resume?.()
  channel.end()
  channel.destroy?.()
}

const sessionTries = 20
const sessionPauseMilliseconds = 50

/** Connects, verifies the host's key before any data is sent to the host, and authenticates with the key only. Throws SshFailure. */
export const openSshConnection = async (
  address: SshAddress,
  { hostKeys, keyFolders, limits: overrides }: SshOptions,
  { signal, acceptHostKey }: Opening,
): Promise<SshConnection> => {
  const limits = { ...sshLimits, ...overrides }
  const key = await readKeyFile(address.keyPath, keyFolders)
  const socket = await dial(address, limits.connectMilliseconds, signal)
  const privateKey = key.contents
  const session = await shakeHands(socket, { address, privateKey, hostKeys, limits, signal, acceptHostKey })
  const { client, closed } = session
  const gate = createGate(limits.channels)
  const waiting = new Set<(reason: SshFailure) => void>()
  let isOpen = true
  const broken = (cause?: unknown) =>
    new SshFailure('unreachable', `The connection to ${address.host} was lost.`, { cause })
  void closed.then((cause) => {
    isOpen = false
    for (const reject of waiting) reject(broken(cause))
    waiting.clear()
  })

  /** Ends the connection to a host that does not respond: its requests would remain pending, and its channels occupied. */
  const within = async <Answer>(answer: Promise<Answer>, milliseconds: number): Promise<Answer> => {
    const silence = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const seconds = Math.ceil(milliseconds / 1_000)
      // From now on, not only once the connection is closed: a caller that reuses it would wait, or fail for another reason.
      isOpen = false
      silence.reject(
        new SshFailure('timeout', `${address.host} accepted the connection, but has not responded for ${seconds} s.`),
      )
      void session.end()
    }, milliseconds)
    try {
      return await Promise.race([answer, silence.promise])
    } finally {
      clearTimeout(timer)
    }
  }
  const answered = <Answer>(answer: Promise<Answer>) => within(answer, limits.answerMilliseconds)
  const unlessSilent = <Answer>(answer: Promise<Answer>) => within(answer, limits.silenceMilliseconds)

  /** Settles when the connection ends, too, and when the signal aborts; a channel that opens later is closed. */
  const attempt = async <Channel extends Closable, Result>({ open, take, signal }: Attempt<Channel, Result>) => {
    const opening = Promise.withResolvers<Result>()
    if (!isOpen) throw broken()
    signal.throwIfAborted()
    waiting.add(opening.reject)
    const unlink = addAbortListener(signal, () => opening.reject(signal.reason))
    try {
      open((error, channel) => {
        if (error) opening.reject(error)
        else if (signal.aborted) discard(channel)
        else opening.resolve(take(channel))
      })
      return await answered(opening.promise)
    } finally {
      unlink()
      waiting.delete(opening.reject)
    }
  }
  /** sshd counts a session for a moment after it has ended, and may reject the next one because of it. */
  const attemptSession: typeof attempt = async (opening) => {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(opening)
      } catch (error) {
        if (tries >= sessionTries || !(error instanceof Error) || !error.message.includes('open failed')) throw error
      }
      await sleep(sessionPauseMilliseconds)
    }
  }
  /** Opens a channel when fewer than the maximum are open; the slot is released when the channel closes. */
  const inSlot = async <Result>(
    { refusal, signal }: { refusal: string; signal: AbortSignal },
    opening: (enter: (channel: Closable) => void) => Promise<Result>,
  ) => {
    await gate.enter(1)
    let hasEntered = false
    try {
      return await opening((channel) => {
        hasEntered = true
        channel.once('close', () => gate.leave(1))
      })
    } catch (error) {
      if (!hasEntered) gate.leave(1)
      signal.throwIfAborted()
      if (isSshFailure(error)) throw error
      if (!isOpen) throw broken(error)
      const reason = messageOf(error)
      throw new SshFailure('remote', `${refusal} on ${address.host}: ${reason}.`, { cause: error })
    }
  }
  const entering =
    <Channel extends Closable>(enter: (channel: Closable) => void) =>
    (channel: Channel): Channel => {
      enter(channel)
      return channel
    }
  let noSftp: SshFailure | undefined
  const sftpRequests = createSerialQueue()
  /** ssh2 does not close the session in which SFTP was refused, so SFTP is requested by one caller at a time, and not again after a refusal. */
  const unlessRefused = (request: () => Promise<SFTPWrapper>): Promise<SFTPWrapper> =>
    sftpRequests.run(async () => {
      if (noSftp) throw noSftp
      try {
        return await request()
      } catch (error) {
        if (isSshFailure(error, 'remote') && messageOf(error.cause).startsWith('Unable to start subsystem'))
          noSftp = error
        throw error
      }
    })
  return {
    get isOpen() {
      return isOpen
    },
    fingerprint: session.fingerprint,
    warnings: key.warnings,
    run: (words, stop) =>
      inSlot({ refusal: `${words[0]} cannot be run`, signal: stop }, (enter) =>
        attemptSession<ClientChannel, RunningCommand>({
          open: (done) => client.exec(tetheredCommand(words), done),
          take: (channel) =>
            followCommand(entering<ClientChannel>(enter)(channel), { signal: stop, broken, unlessSilent }),
          signal: stop,
        }),
      ),
    openFiles: (stop) =>
      unlessRefused(() =>
        inSlot({ refusal: 'SFTP is not available', signal: stop }, (enter) =>
          attemptSession<SFTPWrapper, SFTPWrapper>({
            open: (done) => client.sftp(done),
            take: entering(enter),
            signal: stop,
          }),
        ),
      ),
    dialSocket: (path, stop) =>
      inSlot({ refusal: `${path} cannot be connected to`, signal: stop }, (enter) =>
        attempt<ClientChannel, ClientChannel>({
          open: (done) => client.openssh_forwardOutStreamLocal(path, done),
          take: entering(enter),
          signal: stop,
        }),
      ),
    answered,
    [Symbol.asyncDispose]: session.end,
  }
}
