/** A pressed key as `Ctrl+K`, `Alt+T`, `Shift+ArrowDown`, `j`, `E` or `?`; Ctrl stands for the Command key, too. */
export const keyOf = (event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string => {
  const { key } = event
  const isCharacter = key.length === 1
  const modifiers = [
    event.ctrlKey || event.metaKey ? 'Ctrl' : '',
    event.altKey ? 'Alt' : '',
    event.shiftKey && !isCharacter ? 'Shift' : '',
  ].filter(Boolean)
  const name = key === ' ' ? 'Space' : modifiers.length > 0 && isCharacter ? key.toUpperCase() : key
  return [...modifiers, name].join('+')
}

/** Whether keys are text here: in a field that takes them. */
export const isTyping = (element: Element | null): boolean => {
  if (element === null) return false
  const name = element.tagName
  if (name === 'TEXTAREA' || name === 'SELECT') return true
  if (name === 'INPUT')
    return !['checkbox', 'radio', 'button', 'range', 'file'].includes(element.getAttribute('type') ?? '')
  return element.getAttribute('contenteditable') === 'true'
}

/** Keys that fields leave to the page. Ctrl+Z is theirs: it undoes what was typed. */
export const worksWhileTyping = (key: string): boolean =>
  (key.startsWith('Ctrl+') && key !== 'Ctrl+Z') || key.startsWith('Alt+') || key === 'Escape'

const pressedByEnter = 'button, a[href], summary, [role^="menuitem"]'
const pressedBySpace = 'button, summary, input, [role^="menuitem"]'

/** Whether a key presses the control that has the focus, such as Enter on a button: no shortcut may take it. */
export const pressesControl = (element: Pick<Element, 'matches'> | null, key: string): boolean =>
  (key === 'Enter' && element?.matches(pressedByEnter) === true) ||
  (key === 'Space' && element?.matches(pressedBySpace) === true)

/** Single letters and signs, which can be turned off. */
export const isLetter = (key: string): boolean => key.length === 1

/** The parts of a shortcut such as `g l`, for display. */
export const shownKeys = (keys: string): string[] =>
  keys
    .split(' ')
    .map((key) =>
      key.replace('ArrowDown', '↓').replace('ArrowUp', '↑').replace('ArrowLeft', '←').replace('ArrowRight', '→'),
    )
