/** The use of one metric in an expression: its name and the labels in its matchers and groupings. */
export type Selection = { metric: string; labels: readonly string[] }

/** Keywords of PromQL in positions where a metric name could be. */
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
 * Extracts the metrics of a PromQL expression. Labels are those of the matchers and of the groupings. The grouping labels count for
 * every metric, since each of our expressions contains one metric, possibly twice.
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
