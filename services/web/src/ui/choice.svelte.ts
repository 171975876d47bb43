/**
 * What a control shows: the stored value, and from a choice until `save` has resolved what was chosen. Of choices that overlap, the last one
 * counts.
 */
export const createChoice = <Value>(stored: () => Value, save: (chosen: Value) => unknown) => {
  let shown = $derived(stored())
  let choices = 0
  return {
    get shown() {
      return shown
    },
    set shown(chosen: Value) {
      shown = chosen
    },
    save: async (): Promise<void> => {
      choices += 1
      const choice = choices
      await save(shown)
      if (choice === choices) shown = stored()
    },
  }
}
