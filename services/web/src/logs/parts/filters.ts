import { type Codec, list, text, type ValuesOf } from '../../url/codecs.ts'
import { moment } from '../../url/moments.ts'

/** The filters of log pages as they are in the URL. */
export const filterShape = {
  q: text(),
  source: list(),
  not_source: list(),
  severity: list(),
  domain: list(),
  not_domain: list(),
  pattern: text(),
  template: list(),
  not_template: list(),
  branch: text(),
  tenant: text(),
  since: moment(),
  until: moment(),
} satisfies Record<string, Codec<string> | Codec<readonly string[]>>

export type FilterValues = ValuesOf<typeof filterShape>
export type TextFilter = 'pattern' | 'branch' | 'tenant'
export type ListFilter = 'source' | 'not_source' | 'severity' | 'domain' | 'not_domain' | 'template' | 'not_template'

/** A list as a parameter; undefined if it is empty. */
export const joined = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : values.join(',')

/** The filters as parameters of a search or a tail, without their window. */
export const parametersOf = (values: FilterValues) => ({
  q: values.q.trim(),
  source: joined(values.source),
  not_source: joined(values.not_source),
  severity: joined(values.severity),
  domain: joined(values.domain),
  not_domain: joined(values.not_domain),
  pattern: values.pattern,
  template: joined(values.template),
  not_template: joined(values.not_template),
  branch: values.branch,
  tenant: values.tenant,
})

/** A list with a value added, or removed if it was there. */
export const toggled = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values.filter((other) => other !== value) : [...values, value]

const opposite: Partial<Record<ListFilter, ListFilter>> = {
  source: 'not_source',
  not_source: 'source',
  domain: 'not_domain',
  not_domain: 'domain',
  template: 'not_template',
  not_template: 'template',
}

/** The change that adds a value to a filter and takes it out of the opposite one, or removes it. */
export const toggleFilter = (values: FilterValues, filter: ListFilter, value: string): Partial<FilterValues> => {
  const other = opposite[filter]
  return {
    [filter]: toggled(values[filter], value),
    ...(other && values[other].includes(value) ? { [other]: toggled(values[other], value) } : {}),
  }
}

export const noFilters: Partial<FilterValues> = Object.fromEntries(
  Object.entries(filterShape)
    .filter(([name]) => !['q', 'since', 'until'].includes(name))
    .map(([name, codec]) => [name, codec.fallback]),
)
