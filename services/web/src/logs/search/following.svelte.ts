import { untrack } from 'svelte'
import { keys } from '../../api/keys.svelte.ts'
import type { parametersOf } from '../parts/filters.ts'
import { createLive, type Live } from '../parts/live.svelte.ts'

/** The stream of a search that is followed live, and whether its end stays in view. `parameters` is read reactively; undefined follows nothing. */
export const createFollowing = (parameters: () => ReturnType<typeof parametersOf> | undefined) => {
  let live = $state.raw<Live | undefined>(undefined)
  let isAtEnd = $state(true)
  /** How many lines had arrived when the view was held. */
  let heldAt = $state(0)
  // As text, so that another part of the address, such as the selected line, leaves the stream and its lines as they are.
  const followed = $derived(JSON.stringify(parameters()))
  $effect(() => {
    if (followed === undefined) return
    void keys.version
    const created = untrack(() => createLive(parameters() ?? {}))
    live = created
    isAtEnd = true
    return () => {
      created.close()
      live = undefined
    }
  })
  const set = (next: boolean): void => {
    if (isAtEnd && !next) heldAt = live?.ring.total ?? 0
    isAtEnd = next
  }
  const unseen = $derived.by(() => {
    void live?.version
    return live && !isAtEnd ? live.ring.total - heldAt : 0
  })
  return {
    get live() {
      return live
    },
    /** Whether the end stays in view as lines arrive; otherwise the view is held. */
    get isAtEnd() {
      return isAtEnd
    },
    /** How many lines have arrived since the view was held. */
    get unseen() {
      return unseen
    },
    set,
    toggle: () => set(!isAtEnd),
    /** Holds the view where lines were put in that had been missed, which are not new. */
    holdAtMissed: (count: number): void => {
      if (!isAtEnd) heldAt += count
      set(false)
    },
  }
}
