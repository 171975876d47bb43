import { caller } from '../api/session.svelte.ts'
import { facts } from '../url/facts.ts'

/** Learns who calls, where visitors can sign in; otherwise pieces need no session. */
export const openPieces = (): void => {
  if (facts.sign_in && facts.mounts.includes('/listings')) void caller.open()
}

/** Why the caller may not have pieces. */
export const cannotHavePieces = (): string | undefined =>
  caller.isGuest ? 'Sign in to continue a piece: it belongs to an account.' : undefined
