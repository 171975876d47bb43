/** The cause of a failure between this service and a remote host, for callers that handle it. */
export type SshFailureReason =
  /** The key file is not allowed or cannot be used. */
  | 'key'
  /** The host presents another key than the known one. */
  | 'host-key'
  /** The host does not accept this key for this user. */
  | 'refused'
  /** There is no route to the host, or the connection was lost. */
  | 'unreachable'
  /** The host did not accept the connection, or did not finish the handshake, in time. */
  | 'connect-timeout'
  /** The host did not respond on an open connection. */
  | 'timeout'
  /** A command or a file on the remote host failed. */
  | 'remote'

/** The message is a sentence for users with advice; it never contains any part of a key. */
export class SshFailure extends Error {
  override name = 'SshFailure'
  readonly reason: SshFailureReason
  /** The fingerprint of the host's key, if the host presented one. */
  readonly fingerprint: string | undefined

  constructor(reason: SshFailureReason, message: string, options: { cause?: unknown; fingerprint?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.fingerprint = options.fingerprint
  }
}

export const isSshFailure = (error: unknown, reason?: SshFailureReason): error is SshFailure =>
  error instanceof SshFailure && (reason === undefined || error.reason === reason)
