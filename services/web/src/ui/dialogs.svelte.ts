let open = $state.raw<readonly string[]>([])

/** The modal dialogs that are open. The topmost covers everything else, toasts included, so it shows those itself. */
export const dialogs = {
  /** The id of the topmost one. */
  get top(): string | undefined {
    return open.at(-1)
  },
  /** Adds a dialog; returns a function that removes it. */
  add: (id: string): (() => void) => {
    open = [...open, id]
    return () => {
      open = open.filter((other) => other !== id)
    }
  },
}
