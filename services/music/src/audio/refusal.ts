/** Why an upload or a piece of audio cannot be worked with; the words match the statuses of the contract. */
export type RefusalReason =
  | 'unsupported'
  | 'invalid'
  | 'too_long'
  | 'too_short'
  | 'silent'
  | 'out_of_limits'
  | 'too_large'

/** 415 for what is not a format we read, 413 for what takes up too much once it is decoded, 422 for what is one but cannot be used. */
export const refusalStatus: Record<RefusalReason, 413 | 415 | 422> = {
  unsupported: 415,
  invalid: 422,
  too_long: 422,
  too_short: 422,
  silent: 422,
  out_of_limits: 422,
  too_large: 413,
}

/** Audio that is refused for what it is, with a sentence that tells its sender what to do. Never a fault of ours. */
export class AudioRefused extends Error {
  override readonly name = 'AudioRefused'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Shorthand for the commonest refusal: a file that says it is audio and is not well-formed. */
export const invalidAudio = (message: string, cause?: unknown): AudioRefused =>
  new AudioRefused('invalid', message, cause === undefined ? undefined : { cause })
