import { keys } from '../../api/keys.svelte.ts'
import { loadPart } from '../../ui/load-part.ts'
import { toasts } from '../../ui/toasts.svelte.ts'
import type { parametersOf } from '../parts/filters.ts'
import type { Live } from '../parts/live.svelte.ts'

type Options = {
  /** Of the search that is followed, read reactively; undefined follows nothing. */
  parameters: () => ReturnType<typeof parametersOf> | undefined
  /** Called after a toast has reported that the stream could not be loaded. */
  onfail: () => void
}

/** The stream of a search that is followed live, and whether its end stays in view. */
export const createFollowing = ({ parameters, onfail }: Options) => {
  let live = $state.raw<Live | undefined>(undefined)
  let isAtEnd = $state(true)
  /** How many lines had arrived when the view was held. */
  let heldAt = $state(0)
  // As text, so that another part of the address, such as the selected line, leaves the stream and its lines as they are.
  const followed = $derived(JSON.stringify(parameters()))
  $effect(() => {
    if (followed === undefined) return
    void keys.version
    let created: Live | undefined
    let isLeft = false
    loadPart(() => import('../parts/live.svelte.ts')).then(
      ({ createLive }) => {
        if (isLeft) return
        created = createLive(parameters() ?? {})
        live = created
        isAtEnd = true
      },
      () => {
        if (isLeft) return
        toasts.show('Live could not be loaded. Try again, or reload the page if it fails again.', { tone: 'warn' })
        onfail()
      },
    )
    return () => {
      isLeft = true
      created?.close()
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
