/** The parameters of a search as the model proposes them, checked: exactly the nine fields of the response. */
export type SearchParameters = {
  readonly baseQuery: string
  readonly mustIncludeMode: 'all' | 'any' | 'groups'
  readonly mustInclude: string
  readonly mustExclude: string
  readonly maxPrice: number | null
  readonly minPrice: number | null
  readonly condition: readonly ('new' | 'used' | 'for_parts')[]
  readonly categoryId: string | null
  readonly explanation: string
}

/** The parameters, or what is wrong with the answer, in a sentence. */
export type ParsedAnswer =
  | { readonly kind: 'parameters'; readonly parameters: SearchParameters }
  | { readonly kind: 'unusable'; readonly reason: string }

const modes = ['all', 'any', 'groups'] as const
const conditions = ['new', 'used', 'for_parts'] as const
/** The limits of the search's own parameters, in characters. */
const longest = { baseQuery: 500, terms: 4_000, explanation: 1_000 } as const

/** An answer of the wrong form. Never leaves this file. */
class Unusable extends Error {}

const textOf = (value: unknown, name: string, limit: number): string => {
  const text = value === null || value === undefined ? '' : value
  if (typeof text !== 'string') throw new Unusable(`"${name}" is no text`)
  if (text.length > limit) throw new Unusable(`"${name}" is longer than ${limit} characters`)
  // A search refuses U+0000, and halves of surrogate pairs are not UTF-8.
  return text.replaceAll('\0', '').toWellFormed().trim()
}

/** Terms as the search takes them. Models often write a list in place of comma-separated text. */
const termsOf = (value: unknown, name: string): string =>
  textOf(
    Array.isArray(value) && value.every((term) => typeof term === 'string') ? value.join(', ') : value,
    name,
    longest.terms,
  )

/** A price; null if there is none. The search ignores limits of 0 or less, so they count as none. */
const priceOf = (value: unknown, name: string): number | null => {
  if (value === null || value === undefined || value === '') return null
  const price = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  if (!Number.isFinite(price)) throw new Unusable(`"${name}" is no number`)
  return price > 0 ? price : null
}

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.some((one) => one === value)

const parametersOf = (
  answer: Readonly<Record<string, unknown>>,
  categoryIds: ReadonlySet<string>,
): SearchParameters => {
  const baseQuery = textOf(answer.base_query, 'base_query', longest.baseQuery)
  if (baseQuery === '') throw new Unusable('"base_query" is missing')
  const { must_include_mode: mode, category_id: category } = answer
  const named = Array.isArray(answer.condition) ? answer.condition : [answer.condition]
  const categoryId = typeof category === 'number' ? String(category) : category
  return {
    baseQuery,
    mustIncludeMode: isOneOf(modes, mode) ? mode : 'all',
    mustInclude: termsOf(answer.must_include, 'must_include'),
    mustExclude: termsOf(answer.must_exclude, 'must_exclude'),
    maxPrice: priceOf(answer.max_price, 'max_price'),
    minPrice: priceOf(answer.min_price, 'min_price'),
    condition: conditions.filter((one) => named.includes(one)),
    categoryId: typeof categoryId === 'string' && categoryIds.has(categoryId) ? categoryId : null,
    explanation: textOf(answer.explanation, 'explanation', longest.explanation),
  }
}

/**
 * Parses the answer of a model, which must be one JSON object and nothing else. Values that a search cannot use are replaced: an unknown mode is
 * `all`, unknown conditions are dropped, and a category that was not offered is null.
 */
export const parseAnswer = (raw: string, categoryIds: ReadonlySet<string>): ParsedAnswer => {
  let answer: unknown
  try {
    answer = JSON.parse(raw.trim())
  } catch {
    return { kind: 'unusable', reason: 'it is no JSON' }
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return { kind: 'unusable', reason: 'it is no JSON object' }
  try {
    return { kind: 'parameters', parameters: parametersOf(answer as Record<string, unknown>, categoryIds) }
  } catch (error) {
    if (error instanceof Unusable) return { kind: 'unusable', reason: error.message }
    throw error
  }
}
