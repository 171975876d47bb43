import { untrack } from 'svelte'
import { connection } from '../api/connection.svelte.ts'
import { removal } from '../api/removal.ts'
import type { Resource } from '../api/resource.svelte.ts'
import { toasts } from './toasts.svelte.ts'

/**
 * Rows of a list that are removed with a way back: `remove` hides one at once, and it is shown again if that is undone or refused. The list itself is
 * left alone, so that several removals at a time, and reloads meanwhile, do not undo each other.
 */
export const removals = <Key extends string | number>() => {
  let hidden = $state.raw<ReadonlySet<Key>>(new Set())
  const show = (key: Key): void => {
    hidden = new Set([...untrack(() => hidden)].filter((other) => other !== key))
  }
  return {
    isShown: (key: Key): boolean => !hidden.has(key),
    /** `request` removes it at the server, and `list` is loaded again. Where that fails, the row stays hidden: the list that is shown still has it. */
    remove: (
      key: Key,
      text: string,
      { request, list }: { request: () => Promise<unknown>; list: Pick<Resource<unknown>, 'reload' | 'failure'> },
    ): void => {
      const reason = untrack(() => connection.cannotChange)
      if (reason !== undefined) toasts.show(reason)
      if (reason !== undefined || untrack(() => hidden).has(key)) return
      hidden = new Set(untrack(() => hidden)).add(key)
      const commit = async (): Promise<void> => {
        await removal(request())
        await list.reload()
        if (!list.failure) show(key)
      }
      toasts.removeWithUndo(text, { commit, restore: () => show(key) })
    },
  }
}
