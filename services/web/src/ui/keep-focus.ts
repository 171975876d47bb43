import { here } from '../url/here.svelte.ts'

const rows = 'li, tr, [role="treeitem"]'
const holders = `${rows}, dialog[open], section, form, main`

/** The row nearest to one that was removed by this change. */
const neighbourIn = ({ nextSibling, previousSibling }: MutationRecord): Element | undefined => {
  for (let node = nextSibling; node !== null; node = node.nextSibling)
    if (node instanceof Element && node.matches(rows)) return node
  for (let node = previousSibling; node !== null; node = node.previousSibling)
    if (node instanceof Element && node.matches(rows)) return node
  return undefined
}

const focusOn = (element: Element | null): void => {
  if (!(element instanceof HTMLElement)) return
  // Rows are no stop of the Tab key: they only receive the focus from here.
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/**
 * A control may be removed by what it does, alone or with its row. The focus would be lost with it, and a screen reader with its place: it goes to the
 * row, dialog, section or form, else to the next row, and to the heading of the page after the last. Returns a function that ends this.
 */
export const keepFocus = (): (() => void) => {
  let held: { control: Element; row: Element; path: string } | undefined
  const remember = ({ target }: FocusEvent): void => {
    const control = target instanceof Element && target.closest('main') ? target : undefined
    const row = control?.closest(holders)
    held = control && row ? { control, row, path: here.path } : undefined
  }
  const observer = new MutationObserver((records) => {
    if (!held || held.control.isConnected) return
    const { row, path } = held
    held = undefined
    if (document.activeElement !== document.body || here.path !== path) return
    const change = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(row)))
    const next = row.isConnected ? row : change && neighbourIn(change)
    focusOn(!next || next.matches('main') ? document.querySelector('main h1') : next)
  })
  document.addEventListener('focusin', remember)
  observer.observe(document.body, { childList: true, subtree: true })
  return () => {
    document.removeEventListener('focusin', remember)
    observer.disconnect()
  }
}
