/** Why an upload or a piece of audio is rejected; the names match the statuses of the contract. */
export type RefusalReason =
  | 'unsupported'
  | 'invalid'
  | 'too_long'
  | 'too_short'
  | 'silent'
  | 'speech'
  | 'out_of_limits'
  | 'too_large'

/** 415 for unsupported formats, 413 for audio that is too large once decoded, 422 for supported files that cannot be used. */
export const refusalStatus: Record<RefusalReason, 413 | 415 | 422> = {
  unsupported: 415,
  invalid: 422,
  too_long: 422,
  too_short: 422,
  silent: 422,
  speech: 422,
  out_of_limits: 422,
  too_large: 413,
}

/** Rejected audio, with a sentence for its sender on what to do. Never an internal error. */
export class AudioRefused extends Error {
  override readonly name = 'AudioRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Shorthand for the most common rejection: a file of a supported format that is malformed. */
export const invalidAudio = (message: string, cause?: unknown): AudioRefused =>
  new AudioRefused('invalid', message, cause === undefined ? undefined : { cause })
