import { untrack } from 'svelte'
import { isLetter, isTyping, keyOf, pressesControl, worksWhileTyping } from './keys.ts'
import { preferences } from './preferences.svelte.ts'
import { reasonOf } from './reason-of.ts'
import { toasts } from './toasts.svelte.ts'

/** Something that a page or the shell can do, in the palette and by its keys. */
export type Action = {
  id: string
  /** As in the palette: "Copy link". */
  title: string
  /** Keys such as `Ctrl+K`, `j` or the sequence `g l`; alternatives in a list. */
  keys?: string | readonly string[]
  /** Where it belongs in the list of keys. */
  group: string
  run: () => void
  /** Why it cannot be used now, in the words of its button. A key that the browser uses itself, such as Escape, is left out instead. */
  blocked?: string | undefined
  /** Whether it changes something at the server, so that it cannot be used while that is not reached. */
  changes?: boolean
  /** Not in the palette, such as moving by one row. */
  hidden?: boolean
}

let sets = $state.raw<readonly (() => readonly Action[])[]>([])

/** Registers the actions of a component while it is shown; call it in its script. Read reactively. */
export const useActions = (actions: () => readonly Action[]): void => {
  $effect(() => {
    sets = [...untrack(() => sets), actions]
    return () => {
      sets = sets.filter((set) => set !== actions)
    }
  })
}

/** All actions available now; those of the page come before those of the shell. */
export const availableActions = (): Action[] => sets.toReversed().flatMap((set) => [...set()])

export const keysOf = ({ keys }: Action): readonly string[] =>
  keys === undefined ? [] : typeof keys === 'string' ? [keys] : keys

/** Runs an action, or shows the reason why it cannot be used now. */
export const perform = (action: Action): void => {
  const reason = reasonOf(action)
  if (reason === undefined) action.run()
  else toasts.show(reason)
}

const sequenceMilliseconds = 1_200

/**
 * Runs actions by their keys; returns a function that stops it. While `isOpening`, a dialog is about to appear: what is typed meanwhile is meant for it,
 * and runs nothing.
 */
export const listenForKeys = (isOpening: () => boolean): (() => void) => {
  let prefix = ''
  let wasModal = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const onKey = (event: KeyboardEvent): void => {
    // A dialog that a key has met is not opening any more, even if the event of its end is yet to come.
    const isModal = document.querySelector('dialog:modal') !== null
    wasModal = isModal || (wasModal && isOpening())
    if (event.defaultPrevented || event.isComposing || ['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return
    const key = keyOf(event)
    const isInField = isTyping(document.activeElement)
    if (isInField && !worksWhileTyping(key)) return
    if (pressesControl(document.activeElement, key)) return
    if (isLetter(key) && !preferences.letterKeys) return
    // A modal dialog takes all keys but its own.
    if (isModal ? key !== 'Ctrl+K' : isOpening() && !wasModal) return
    const sequence = prefix === '' ? key : `${prefix} ${key}`
    const actions = availableActions()
    const matching = actions.filter((action) => keysOf(action).includes(sequence))
    // The first of those that can be used, else the first, whose reason is shown.
    const found = matching.find((action) => reasonOf(action) === undefined) ?? matching[0]
    clearTimeout(timer)
    prefix = ''
    if (found) {
      event.preventDefault()
      // A key that is held changes something once.
      if (!event.repeat || !found.changes) perform(found)
      return
    }
    if (actions.some((action) => keysOf(action).some((keys) => keys.startsWith(`${sequence} `)))) {
      prefix = sequence
      timer = setTimeout(() => {
        prefix = ''
      }, sequenceMilliseconds)
    }
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}
