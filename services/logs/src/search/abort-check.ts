/** Throws when the caller has cancelled the request; an AbortSignal is one. */
export type AbortCheck = Pick<AbortSignal, 'throwIfAborted'>
