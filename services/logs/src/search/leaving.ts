/** Says by throwing that nobody waits for the answer any more; an AbortSignal is one. */
export type Leaving = Pick<AbortSignal, 'throwIfAborted'>
