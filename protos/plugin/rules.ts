/** The limits of a field that JSON Schema can express, from its buf.validate rules. */
export type FieldRules = {
  required: boolean
  /** Keywords for the value, or for each item of a repeated field. */
  value: Record<string, unknown>
  /** Keywords for the list. */
  list: Record<string, unknown>
}

type Bag = Record<string, unknown>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null

/** A value that is really set: rules messages have defaults on their prototypes. */
const own = (bag: Bag, key: string): unknown => (Object.hasOwn(bag, key) ? bag[key] : undefined)

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value)

const stringFormats = ['email', 'uuid', 'uri', 'hostname', 'ipv4', 'ipv6'] as const

const stringKeywords = (rules: Bag): Bag => {
  const keywords: Bag = {}
  const copy = (from: string, to: string) => {
    const value = own(rules, from)
    if (value !== undefined) keywords[to] = plain(value)
  }
  copy('minLen', 'minLength')
  copy('maxLen', 'maxLength')
  copy('pattern', 'pattern')
  copy('const', 'const')
  if (Array.isArray(rules.in) && rules.in.length > 0) keywords.enum = rules.in
  const wellKnown = isBag(rules.wellKnown) ? rules.wellKnown.case : undefined
  const format = stringFormats.find((name) => name === wellKnown)
  if (format) keywords.format = format
  return keywords
}

const bounds: Record<string, string> = {
  lt: 'exclusiveMaximum',
  lte: 'maximum',
  gt: 'exclusiveMinimum',
  gte: 'minimum',
}

const numberKeywords = (rules: Bag): Bag => {
  const keywords: Bag = {}
  for (const side of ['lessThan', 'greaterThan']) {
    const bound = rules[side]
    if (!isBag(bound) || typeof bound.case !== 'string') continue
    const keyword = bounds[bound.case]
    if (keyword) keywords[keyword] = plain(bound.value)
  }
  if (Array.isArray(rules.in) && rules.in.length > 0) keywords.enum = rules.in.map(plain)
  return keywords
}

const valueKeywords = (type: unknown): Bag => {
  if (!isBag(type) || typeof type.case !== 'string' || !isBag(type.value)) return {}
  if (type.case === 'string') return stringKeywords(type.value)
  return numberKeywords(type.value)
}

export const fieldRules = (rules: Bag | undefined): FieldRules => {
  if (!rules) return { required: false, value: {}, list: {} }
  const isRequired = own(rules, 'required') === true
  const type = rules.type
  if (!isBag(type) || type.case !== 'repeated' || !isBag(type.value))
    return { required: isRequired, value: valueKeywords(type), list: {} }
  const repeated = type.value
  const list: Bag = {}
  const minimum = own(repeated, 'minItems')
  const maximum = own(repeated, 'maxItems')
  if (minimum !== undefined) list.minItems = plain(minimum)
  if (maximum !== undefined) list.maxItems = plain(maximum)
  if (own(repeated, 'unique') === true) list.uniqueItems = true
  const items = repeated.items
  // A list with a minimum must be present, even if it may be empty: leaving it out is a mistake of the caller.
  const required = isRequired || minimum !== undefined
  return { required, list, value: isBag(items) ? valueKeywords(items.type) : {} }
}
