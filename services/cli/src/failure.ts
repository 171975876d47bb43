/** A failure that the user can do something about: its message is printed without a stack. */
export class CommandFailure extends Error {
  override name = 'CommandFailure'
  /** 1: the command failed; 2: it was called wrongly. */
  readonly code: 1 | 2
  constructor(message: string, code: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
