import type { Action } from '../ui/actions.svelte.ts'

/** The actions whose title holds every word of a query, those that start with it first. */
export const rankActions = <Item extends Pick<Action, 'title' | 'group'>>(
  actions: readonly Item[],
  query: string,
): Item[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const textOf = ({ title, group }: Item) => `${title} ${group}`.toLowerCase()
  const found = actions.filter((action) => words.every((word) => textOf(action).includes(word)))
  const isFirst = ({ title }: Item) => words.length > 0 && title.toLowerCase().startsWith(words[0] ?? '')
  return [...found.filter(isFirst), ...found.filter((action) => !isFirst(action))].slice(0, 50)
}
