import type { StoredEntry } from '../entries/entry.ts'
import { activeFormats, type FormatSet } from '../formats/active-formats.ts'
import { describeEntry } from '../formats/describe-entry.ts'
import { groupNames } from '../formats/describe-pattern.ts'
import type { LogFormat, PatternFormat } from '../formats/format.ts'
import { type DescribedEntry, mayNameRequest } from './web-request.ts'

/** `carried`: a line embedded in the message may name fields that the outer format does not. */
type Naming = 'always' | 'carried' | 'never'

/**
 * Whether the groups of a format, with those of an embedded pattern, may describe a request. The field names of JSON and key-value formats are
 * arbitrary.
 */
const namingOf = (format: LogFormat, { byName }: FormatSet): Naming => {
  if (format.kind !== 'pattern') return 'always'
  const carried = (format.carries ?? []).map((name) => byName.get(name)).filter((one) => one?.kind === 'pattern')
  const own = groupNames(format.pattern)
  const together = [[], ...carried.map(({ pattern }: PatternFormat) => groupNames(pattern))]
  if (together.some((names) => mayNameRequest([...own, ...names]))) return 'always'
  return format.carries ? 'carried' : 'never'
}

const known = new WeakMap<FormatSet, Map<string, Naming>>()

const namingIn = (formats: FormatSet, name: string): Naming => {
  const namings = known.get(formats) ?? new Map<string, Naming>()
  known.set(formats, namings)
  const format = formats.byName.get(name)
  const naming = namings.get(name) ?? (format ? namingOf(format, formats) : 'never')
  if (format) namings.set(name, naming)
  return naming
}

/** The message and fields of an entry if they may describe a request. Parsing every text again would cost more than all checks of its fields. */
export const requestFieldsOf = ({ origin: { format }, text }: StoredEntry): DescribedEntry | null => {
  const naming = namingIn(activeFormats(), format)
  const isNamed = naming === 'always' || (naming === 'carried' && (text.includes('{') || text.includes('=')))
  return isNamed ? describeEntry(format, text) : null
}
