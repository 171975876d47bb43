import type { Chip } from '../../ui/Chips.svelte'
import type { FilterValues, ListFilter, TextFilter } from '../parts/filters.ts'

const lists: readonly (readonly [name: ListFilter, label: string, negative: boolean])[] = [
  ['severity', 'severity', false],
  ['source', 'source', false],
  ['not_source', 'source', true],
  ['domain', 'domain', false],
  ['not_domain', 'domain', true],
  ['template', 'template', false],
  ['not_template', 'template', true],
]
const texts = [
  ['pattern', 'tag'],
  ['branch', 'branch'],
  ['tenant', 'tenant'],
] as const

type Changes = { toggle: (filter: ListFilter, value: string) => void; clear: (filter: TextFilter) => void }

/** What limits a search, each with its removal. */
export const chipsOf = (values: FilterValues, { toggle, clear }: Changes): Chip[] => [
  ...lists.flatMap(([name, label, negative]) =>
    values[name].map((value) => ({
      key: `${name} ${value}`,
      label,
      value,
      negative,
      remove: () => toggle(name, value),
    })),
  ),
  ...texts.flatMap(([name, label]) =>
    values[name] ? [{ key: name, label, value: values[name], remove: () => clear(name) }] : [],
  ),
]
