/** What went wrong between here and a remote host, for whoever decides what to say or to do. */
export type SshFailureReason =
  /** The key file may not or cannot be used. */
  | 'key'
  /** The host shows another key than the one that is known. */
  | 'host-key'
  /** The host does not let this user in with this key. */
  | 'refused'
  /** There is no way to the host, or it is broken off. */
  | 'unreachable'
  | 'timeout'
  /** A command or a file on the far side. */
  | 'remote'

/** The message is a sentence for people that says what to do; it never has anything of a key in it. */
export class SshFailure extends Error {
  override name = 'SshFailure'
  readonly reason: SshFailureReason
  /** Of the host's key, where the host showed one. */
  readonly fingerprint: string | undefined

  constructor(reason: SshFailureReason, message: string, options: { cause?: unknown; fingerprint?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.fingerprint = options.fingerprint
  }
}

export const isSshFailure = (error: unknown, reason?: SshFailureReason): error is SshFailure =>
  error instanceof SshFailure && (reason === undefined || error.reason === reason)
