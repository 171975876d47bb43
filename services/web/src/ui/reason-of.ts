import { connection } from '../api/connection.svelte.ts'

type Control = {
  /** Why it cannot be used. */
  blocked?: string | undefined
  /** Whether it changes something at the server. Nothing is queued while that is not reached. */
  changes?: boolean | undefined
}

/** Why a control, or the action of a key, cannot be used now; undefined if it can. */
export const reasonOf = ({ blocked, changes = false }: Control): string | undefined =>
  blocked ?? (changes ? connection.cannotChange : undefined)
