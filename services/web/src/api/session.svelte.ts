import type { GetSessionResponseRest } from '@trellis/protos/edge/client.ts'
import { untrack } from 'svelte'
import { call, renewSessionBy } from './client.ts'
import { connection } from './connection.svelte.ts'
import { type Failure, toFailure } from './failure.ts'

let session = $state.raw<GetSessionResponseRest | undefined>(undefined)
let failure = $state.raw<Failure | undefined>(undefined)
let opening: Promise<void> | undefined

/** The caller and what they may use. A visitor becomes a guest, whose finds are stored: every page of listings opens it first, and those of music where visitors can sign in. */
export const caller = {
  get session(): GetSessionResponseRest | undefined {
    return session
  },
  get failure(): Failure | undefined {
    return failure
  },
  get isGuest(): boolean {
    return session?.user_id.startsWith('guest:') ?? false
  },
  /** Resolves once a session is open, or cannot be opened. */
  open: (): Promise<void> => {
    opening ??= call('GET /listings/api/session')
      .then((answer) => {
        session = answer
        failure = undefined
      })
      .catch((error: unknown) => {
        failure = toFailure(error)
        // The next page tries again.
        opening = undefined
      })
    return opening
  },
}

let renewing: Promise<boolean> | undefined
renewSessionBy(() => {
  const before = session?.user_id
  if (!caller.isGuest) return Promise.resolve(false)
  opening = undefined
  renewing ??= caller
    .open()
    .then(() => session?.user_id !== before)
    .finally(() => {
      renewing = undefined
    })
  return renewing
})

$effect.root(() => {
  $effect(() => {
    if (connection.recoveries > 0) untrack(() => failure && void caller.open())
  })
})
