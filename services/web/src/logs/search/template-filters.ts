import { type FilterValues, joined } from '../parts/filters.ts'

/** The filters as parameters of the templates of the same lines, as far as templates can be filtered. */
export const templateParametersOf = (values: FilterValues) => ({
  q: values.q,
  source: joined(values.source),
  severity: joined(values.severity),
  domain: joined(values.domain),
  branch: values.branch,
  tenant: values.tenant,
})

const notOfTemplates = [
  ['pattern', 'the pattern'],
  ['not_source', 'hidden sources'],
  ['not_domain', 'hidden domains'],
] as const

/** What is chosen but does not apply to templates, in words. */
export const ignoredByTemplates = (values: FilterValues): readonly string[] =>
  notOfTemplates.filter(([name]) => values[name].length > 0).map(([, words]) => words)
