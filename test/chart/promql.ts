/** What an expression asks for of one metric: its series, and the labels by which they are told apart. */
export type Selection = { metric: string; labels: readonly string[] }

/** Words of the language that stand where a metric could. */
const keywords = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'and',
  'or',
  'unless',
  'bool',
])

const identifiers = (text: string): string[] => text.match(/[a-zA-Z_:][a-zA-Z0-9_:]*/g) ?? []

/**
 * The metrics that an expression of PromQL names. Labels are those of its matchers, and those that it groups by, which count for
 * every metric in it: our expressions hold one metric each, or one twice.
 */
export const selectionsOf = (expression: string): Selection[] => {
  const bare = expression.replace(/"(\\.|[^"\\])*"/g, '""')
  const grouping = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g
  const grouped = [...bare.matchAll(grouping)].flatMap(([, list = '']) => identifiers(list))
  const selections = new Map<string, Set<string>>()
  for (const [, name = '', matchers = ''] of bare
    .replace(grouping, ' ')
    .replace(/\[[^\]]*\]/g, '')
    .matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()(?:\s*\{([^}]*)\})?/g)) {
    if (keywords.has(name)) continue
    const labels = selections.get(name) ?? new Set(grouped)
    for (const label of identifiers(matchers)) labels.add(label)
    selections.set(name, labels)
  }
  return [...selections].map(([metric, labels]) => ({ metric, labels: [...labels] }))
}
