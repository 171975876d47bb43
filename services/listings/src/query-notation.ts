/** A query in the marketplace's notation: words, "phrases", (a,b) alternatives and -exclusions. */
export type ParsedQuery = { readonly required: readonly (readonly string[])[]; readonly excluded: readonly string[] }

const token = /(-)?(?:"([^"]*)"|\(([^)]*)\)|([^\s()"]+))/g

/** Parses a query; unbalanced quotes and brackets are treated as words. */
export const parseQuery = (text: string): ParsedQuery => {
  const required: string[][] = []
  const excluded: string[] = []
  for (const [, minus, phrase, group, word] of text.toLowerCase().matchAll(token)) {
    const alternatives = group === undefined ? [phrase ?? word ?? ''] : group.split(',')
    const terms = alternatives.map((term) => term.trim()).filter((term) => term !== '')
    if (terms.length === 0) continue
    if (minus === undefined) required.push(terms)
    else excluded.push(...terms)
  }
  return { required, excluded }
}
