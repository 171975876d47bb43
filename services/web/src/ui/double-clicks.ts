const pressedByEnter = 'button, input, a[href], summary'
const controls = 'a, button, input, select, textarea, summary, label, [role^="menuitem"]'

const controlOf = (target: EventTarget | null): Element | null => {
  const control = target instanceof Element ? target.closest(controls) : null
  return control instanceof HTMLLabelElement ? control.control : control
}

/** A key that is held presses a control, or sends a form, once: repeated, it would change something again as soon as the first change is answered. */
export const ignoreHeldEnter = (): (() => void) => {
  const check = (event: KeyboardEvent): void => {
    if (
      event.repeat &&
      event.key === 'Enter' &&
      event.target instanceof Element &&
      event.target.matches(pressedByEnter)
    )
      event.preventDefault()
  }
  window.addEventListener('keydown', check, { capture: true })
  return () => window.removeEventListener('keydown', check, { capture: true })
}

/**
 * The second click of a double click is for the control that got the first. Another control that has taken its place meanwhile, such as the button of
 * the next row after a row was removed, ignores it. Returns a function that ends this.
 */
export const ignoreMisplacedClicks = (): (() => void) => {
  let first: Element | null = null
  const check = (event: MouseEvent): void => {
    const control = controlOf(event.target)
    // `detail` counts the clicks at one place. It is 0 if a key has pressed the control.
    if (event.detail <= 1) first = control
    else if (control !== null && control !== first) {
      event.preventDefault()
      event.stopImmediatePropagation()
    }
  }
  window.addEventListener('click', check, { capture: true })
  return () => window.removeEventListener('click', check, { capture: true })
}
