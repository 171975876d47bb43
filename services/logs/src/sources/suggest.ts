import { counted } from '../counted.ts'
import { stemOf } from '../search/filters.ts'
import { wordsOf } from '../segments/tokens.ts'
import type { SourceCount } from '../threads/index-calls.ts'
import { namesOfProgram, withJoinedNames } from './program-names.ts'
import { roles } from './service-names.ts'

/** A source that a text is probably about; the score is from 0 to 1, the reason a sentence. */
export type Suggestion = { sourceId: string; score: number; reason: string }

export type SuggestInput = {
  text: string
  sources: readonly SourceCount[]
  /** The number of entries of a source that contain one of the text's keywords. */
  hits: ReadonlyMap<string, number>
}

const max = 10
/** The weight of each sign; signs are treated as independent, so they combine to 1 - (1 - a)(1 - b) ... */
const weights = { wholeName: 0.9, programName: 0.7, partOfName: 0.6, role: 0.5, words: 0.4, errors: 0.1 }

type Sign = { weight: number; clause: string }

/** Words of file names that many sources share. */
const common: ReadonlySet<string> = new Set(['log', 'logs', 'txt', 'out', 'err', 'gz', 'json'])

/** Whether a text contains an id exactly, not as a part of a longer name. */
const contains = (text: string, id: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}._-])${RegExp.escape(id)}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'iu').test(text)

const list = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ')

/** Programs with a known role. */
const programs: ReadonlySet<string> = new Set(roles.flatMap(({ services }) => services))

const signOfName = (textWords: ReadonlySet<string>, words: readonly string[]): Sign | undefined => {
  const shared = words.filter((word) => namesOfProgram(word).some((name) => textWords.has(name)))
  if (shared.length === 0) return undefined
  if (shared.length === words.length) return { weight: weights.wholeName, clause: `it is named (${list(shared)})` }
  const part = (weights.partOfName * (1 + shared.length)) / (1 + words.length)
  const weight = shared.some((word) => programs.has(word)) ? Math.max(part, weights.programName) : part
  return { weight, clause: `its name has ${list(shared)}` }
}

const signOfRole = (textWords: ReadonlySet<string>, words: readonly string[]): Sign | undefined => {
  const role = roles.find(
    ({ words: complaint, services }) =>
      services.some((service) => words.includes(service)) && complaint.some((word) => textWords.has(word)),
  )
  const cue = role?.words.find((word) => textWords.has(word))
  return role && { weight: weights.role, clause: `"${cue}" is about ${role.what}` }
}

/**
 * The sources that a text is most likely about, best first: by their names, by the roles of programs with that name, by the number of their
 * entries that have the text's words, and by whether they have errors. Sources with a common stem are ranked separately.
 */
export const suggestSources = ({ text, sources, hits }: SuggestInput): Suggestion[] => {
  const textWords = new Set(withJoinedNames(wordsOf(text)))
  const maxHits = Math.max(1, ...hits.values())
  return sources
    .flatMap((source) => {
      // A name may contain a word more than once: `openssh:OpenSSH`.
      const words = [...new Set(wordsOf(source.sourceId))].filter(
        (word) => word.length > 1 && !/^\d+$/.test(word) && !common.has(word),
      )
      const found = hits.get(source.sourceId) ?? 0
      const errors = source.bySeverity[1] + source.bySeverity[2]
      const about: Sign[] = [
        contains(text, source.sourceId)
          ? { weight: weights.wholeName, clause: `it is named ("${source.sourceId}")` }
          : signOfName(textWords, words),
        signOfRole(textWords, words),
        found > 0
          ? {
              weight: weights.words * (Math.log1p(found) / Math.log1p(maxHits)),
              clause: `${found} of its entries ${found === 1 ? 'has' : 'have'} words of the text`,
            }
          : undefined,
      ].filter((sign) => sign !== undefined)
      // Errors alone do not make a source a suggestion: they only rank sources that have another sign.
      if (about.length === 0) return []
      const signs =
        errors > 0 ? [...about, { weight: weights.errors, clause: `it has ${counted(errors, 'error')}` }] : about
      const score = 1 - signs.reduce((rest, { weight }) => rest * (1 - weight), 1)
      const reason = signs.map(({ clause }) => clause).join('; ')
      return [
        {
          sourceId: source.sourceId,
          score: Math.round(score * 100) / 100,
          reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
        },
      ]
    })
    .toSorted((a, b) => b.score - a.score || (stemOf(a.sourceId) < stemOf(b.sourceId) ? -1 : 1))
    .slice(0, max)
}
