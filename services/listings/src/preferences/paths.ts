/** The value of a preference: JSON without numbers, objects and lists. */
export type PreferenceValue = boolean | string

/** Checks a value; returns a sentence about what is wrong with it, or undefined. */
type Rule = (value: PreferenceValue) => string | undefined

const boolean: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true, false or null')

const text =
  (pattern: RegExp, sentence: string): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : sentence

const currencies = new Set(Intl.supportedValuesOf('currency'))

const currency: Rule = (value) =>
  typeof value === 'string' && currencies.has(value) ? undefined : 'must be a currency code such as EUR, or null'

const maxDefaultsCharacters = 4_000

const filters: Rule = (value) => {
  const sentence = `must be JSON text of an object, of at most ${maxDefaultsCharacters} characters, or null`
  if (typeof value !== 'string' || value.length > maxDefaultsCharacters) return sentence
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? undefined : sentence
  } catch {
    return sentence
  }
}

/** All preferences, by path, with the rule for their values. */
export const preferencePaths = {
  'affiliate.opt_out': boolean,
  'affiliate.byok_ids.marketplace': text(
    /^[A-Za-z0-9_-]{1,64}$/,
    'must be a campaign id of letters, digits, hyphens and underscores, or null',
  ),
  'community.blocklist_share': boolean,
  'display.currency': currency,
  'display.theme': text(/^(system|light|dark)$/, 'must be system, light, dark or null'),
  'search.defaults': filters,
} as const satisfies Record<string, Rule>

export type PreferencePath = keyof typeof preferencePaths

export const isPreferencePath = (path: string): path is PreferencePath => Object.hasOwn(preferencePaths, path)

/** Preferences of a user by path. */
export type PreferenceValues = ReadonlyMap<PreferencePath, PreferenceValue>
