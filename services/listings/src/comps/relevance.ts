import { parseQuery } from '../query-notation.ts'
import { unspacedWords, wholeWords } from '../whole-words.ts'
import { isAccessoryNoun, mayPrecede } from './accessory-nouns.ts'
import { isPlatformQuery, offersGame } from './game-platforms.ts'
import { mayNamePart, parts, phrasesOf } from './likely-part.ts'
import { type Atom, atomsOf, plainText, runsIn, spansYear } from './title-atoms.ts'
import * as data from './unrelated-words.ts'

/** Why a sale is not comparable with the queried item. */
export type UnrelatedReason =
  | 'other_model'
  | 'other_words'
  | 'excluded_words'
  | (typeof data.unrelatedFamilies)[number]['reason']

/** Sales of one kind, whose prices are comparable. A lot is several pieces at one price. */
export type Stratum = 'new' | 'used' | 'for_parts' | 'lot'
export const strata: readonly Stratum[] = ['new', 'used', 'for_parts', 'lot']

/**
 * What a title may offer in place of the whole thing, which its price decides: `part`, if the head noun of its first phrase is a part; `accessory`, if a noun
 * of accessories or parts has the position of the offered thing; `other_words`, if it lacks a word of the query.
 */
export type Doubt = 'part' | 'accessory' | 'other_words'

export type Judgement =
  | {
      readonly kind: 'related'
      /** Null if neither the title nor the condition shows it. */
      readonly stratum: Stratum | null
      /** Set for a stratum that does not count for the query's own price, since the query does not name it. */
      readonly apart: 'for_parts' | 'lot' | null
      readonly doubt: Doubt | null
    }
  | { readonly kind: 'unrelated'; readonly reason: UnrelatedReason }

const pattern = (words: string): RegExp => new RegExp(wholeWords(words), 'iu')

const families = data.unrelatedFamilies.map(({ reason, words }) => ({ reason, pattern: pattern(words) }))
const lots = data.lotWords.map(({ words }) => pattern(words))
const broken = data.brokenWords.map(({ words, isUnspaced }) =>
  isUnspaced ? new RegExp(unspacedWords(words), 'iu') : pattern(words),
)
const conditions = data.conditionWords.map(([condition, words]) => ({
  condition,
  pattern: new RegExp(`^(?:${words})$`, 'iu'),
}))
const { wordSet } = data
const followers = wordSet(data.followingNouns)
const includes = wordSet(data.inclusion)
const includesLong = wordSet(data.longInclusion)
const connectors = wordSet(data.madeFor)
const variants = wordSet(data.variantWords)
const units = wordSet(data.units)
const denials = wordSet(data.denials)
const empty = wordSet(data.emptyWords)

/** How far an accessory may be from the words that it is for, and a short number from the words that it belongs to, in atoms. */
const reach = 2

const ofAccessories: ReadonlySet<string> = new Set(['accessory', 'part'])

const hasDigit = (text: string): boolean => /\d/.test(text)
/** Shortest word that is also found as a part of another word. */
const shortestPart = 4

/** A term of a query: the atoms of one word, or of a word with digits, which must occur as they are. */
type Term = { readonly atoms: readonly Atom[]; readonly isModel: boolean }

const termsOf = (alternative: string): readonly Term[] =>
  alternative.split(/\s+/).flatMap((word) => {
    const atoms = atomsOf(word)
    const isModel = hasDigit(word)
    return atoms.length === 0 || (!isModel && atoms.every(({ text }) => empty.has(text))) ? [] : [{ atoms, isModel }]
  })

const stem = (word: string): string => word.replace(/(?:es|en|s|n|e)$/u, '')

const hasWord = (word: string, title: readonly Atom[], joined: string): boolean =>
  title.some(
    ({ text }) => text === word || (word.length >= shortestPart && stem(text) === stem(word)) || isPart(text, word),
  ) ||
  (word.length > shortestPart && joined.includes(word))

/** Whether one word is a part of the other: "phone" and "smartphone". */
const isPart = (a: string, b: string): boolean =>
  a.length >= shortestPart && b.length >= shortestPart && (a.includes(b) || b.includes(a))

/** What a title is compared with. */
type Query = {
  /** Groups of alternatives; each is the terms of a phrase. */
  readonly models: readonly (readonly (readonly Term[])[])[]
  readonly words: readonly (readonly (readonly Term[])[])[]
  readonly excluded: readonly RegExp[]
  readonly terms: readonly Term[]
  /** The atoms of all terms. */
  readonly atoms: ReadonlySet<string>
  readonly families: typeof families
  readonly namesAccessory: boolean
  /** Whether it is for a platform of games as such. */
  readonly isPlatform: boolean
  /** Nouns that describe the queried thing itself. */
  readonly ownNouns: ReadonlySet<string>
  readonly namedStrata: ReadonlySet<Stratum>
}

const escaped = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const compile = (text: string, ownNouns: ReadonlySet<string>): Query => {
  const { required, excluded } = parseQuery(text)
  const groups = required
    .map((alternatives) => alternatives.map(termsOf).filter((terms) => terms.length > 0))
    .filter((alternatives) => alternatives.length > 0)
  const isModel = (alternatives: readonly (readonly Term[])[]) =>
    alternatives.some((terms) => terms.some((term) => term.isModel))
  const phrases = required.flat().join(' ')
  const terms = groups.flat(2)
  const atoms = new Set(terms.flatMap((term) => term.atoms.map((atom) => atom.text)))
  const namesAccessory =
    families.some((family) => ofAccessories.has(family.reason) && family.pattern.test(phrases)) ||
    [...atoms].some(isAccessoryNoun)
  return {
    models: groups.filter(isModel),
    words: groups.filter((group) => !isModel(group)),
    excluded: excluded.map((term) => pattern(escaped(term))),
    terms,
    atoms,
    families: families.filter(
      (family) => !family.pattern.test(phrases) && !(namesAccessory && ofAccessories.has(family.reason)),
    ),
    namesAccessory,
    isPlatform: isPlatformQuery(phrases),
    ownNouns,
    namedStrata: new Set<Stratum>([
      ...(lots.some((lot) => lot.test(phrases)) ? (['lot'] as const) : []),
      ...(broken.some((words) => words.test(phrases)) ? (['for_parts'] as const) : []),
    ]),
  }
}

/** Whether an occurrence of a model is another one: "X100V" for "X100", "14 Pro" for "14", "GTX1080" for "RTX 1080". */
const isOther = (title: readonly Atom[], start: number, length: number, { atoms }: Query): boolean => {
  const [first, last, next] = [title[start], title[start + length - 1], title[start + length]]
  if (last === undefined || first === undefined) return false
  const before = title[start - 1]
  if (first.isGlued && before !== undefined && !atoms.has(before.text)) return true
  if (next === undefined || atoms.has(next.text)) return false
  const isQuantity = length > 1 && units.has(last.text)
  if (next.isGlued && hasDigit(last.text)) return length > 1 || !units.has(next.text)
  if (next.isGlued) return !isQuantity
  return !isQuantity && variants.has(next.text)
}

/** A number of one or two digits counts only near other words of the query: not the 14 of "14 day warranty". */
const isNear = (title: readonly Atom[], start: number, run: readonly Atom[], { atoms }: Query): boolean => {
  const [only, ...more] = run
  if (more.length > 0 || only === undefined || !/^\d{1,2}$/.test(only.text) || atoms.size < 2) return true
  const around = [...title.slice(Math.max(0, start - reach), start), ...title.slice(start + 1, start + 1 + reach)]
  return around.some(({ text }) => atoms.has(text))
}

type ModelMatch = 'found' | 'other' | 'missing'

const matchTerm = (term: Term, title: readonly Atom[], text: string, joined: string, query: Query): ModelMatch => {
  if (!term.isModel) return term.atoms.every(({ text: word }) => hasWord(word, title, joined)) ? 'found' : 'missing'
  const starts = runsIn(title, term.atoms).filter((start) => isNear(title, start, term.atoms, query))
  // A title that also names a variant offers a choice, and its price may be that of either.
  if (starts.length > 0 && starts.every((start) => !isOther(title, start, term.atoms.length, query))) return 'found'
  const [only, ...more] = term.atoms
  if (more.length === 0 && only !== undefined && spansYear(text, only.text)) return 'found'
  return starts.length > 0 ? 'other' : 'missing'
}

/** Index after the last atom of the title that the query names; 0 if it names none. */
const endOfQueried = (title: readonly Atom[], { atoms }: Query): number =>
  title.findLastIndex(({ text }) => atoms.has(text)) + 1

/** Whether a title names something that is made for the queried thing: "Stand for X". The "R" of "BG-R10" does not name the "EOS R6". */
const isMadeFor = (title: readonly Atom[], query: Query): boolean => {
  const at = title.findIndex(({ text }) => connectors.has(text))
  const before = title.slice(0, Math.max(0, at))
  const after = title.slice(at + 1, at + 1 + reach)
  return (
    at > 0 &&
    !query.terms.some(({ atoms }) => runsIn(before, atoms).length > 0) &&
    after.some(({ text }) => query.atoms.has(text))
  )
}

/** Whether one of the words before includes what follows. The "W" of "65W" does not. */
const isIncluded = (before: readonly Atom[]): boolean =>
  before.slice(-3).some(({ text, isGlued }) => !isGlued && includes.has(text)) ||
  before.some(({ text, isGlued }) => !isGlued && includesLong.has(text))

/** A title without what it adds to the queried thing: "PS5" of "PS5 + 2 controllers". */
const withoutAdditions = (text: string, { atoms }: Query): readonly Atom[] => {
  const [first = ''] = text.split(/\s\+/u)
  const main = atomsOf(first)
  return main.some((atom) => atoms.has(atom.text)) ? main : atomsOf(text)
}

/** Whether a noun of an accessory follows what it is for, or ends the title: "X Case", but not "X with case". */
const accessoryFollows = (text: string, query: Query): boolean => {
  const title = withoutAdditions(text, query)
  const end = endOfQueried(title, query)
  return title.some(({ text: word }, index) => {
    if (query.ownNouns.has(word)) return false
    const follows = end > 0 && index >= end && index <= end + reach
    const isNamed = isAccessoryNoun(word) ? follows || index === title.length - 1 : followers.has(word) && follows
    return isNamed && !isIncluded(title.slice(0, index))
  })
}

/**
 * Whether a noun of an accessory precedes what it is for, within a phrase: "Coque silicone X", but not "Coque offerte ! X". Right before a model any noun
 * does so ("Battery iPhone 11"), while before a common noun an English one describes it ("keyboard phone").
 */
const accessoryPrecedes = (title: string, query: Query): boolean =>
  phrasesOf(title).some((phrase) => {
    const start = phrase.findIndex(({ text }) => query.atoms.has(text))
    const before = phrase.slice(0, Math.max(0, start))
    return before.some(({ text }, index) => {
      const isNamed = mayPrecede(text) || (query.models.length > 0 && index === start - 1 && isAccessoryNoun(text))
      return isNamed && !query.ownNouns.has(text) && !isIncluded(before.slice(0, index))
    })
  })

/** Whether a title names the queried thing only as the platform of another: "Mario Kart 8 (Nintendo Switch, 2017)". */
const isForPlatform = (title: string, query: Query): boolean => {
  const [platform, inside = ''] = /\(([^()]*), ?(?:19|20)\d\d\)/.exec(title) ?? []
  if (platform === undefined || query.atoms.size === 0) return false
  const within = new Set(atomsOf(inside).map(({ text }) => text))
  const outside = atomsOf(title.replace(platform, ' '))
  return [...query.atoms].every((atom) => within.has(atom)) && !outside.some(({ text }) => query.atoms.has(text))
}

const stratumOf = (title: string, condition: string | null): Stratum | null => {
  if (lots.some((words) => words.test(title))) return 'lot'
  if (broken.some((words) => words.test(title) || (condition !== null && words.test(condition)))) return 'for_parts'
  const shown = plainText(condition ?? '')
    .replace(/[()]/g, ' ')
    .replace(/[\s\-–/]+/g, ' ')
    .trim()
  return conditions.find((row) => row.pattern.test(shown))?.condition ?? null
}

type Found = { readonly reason: UnrelatedReason; readonly isIncluded: boolean }

/**
 * The wordings of other things in a title, except denied ones: "not a replica". Accessories that come with the queried thing leave it to the price what a title offers: "X with case and screen
 * protector" may be either.
 */
const familiesIn = (title: string, query: Query): readonly Found[] =>
  query.families.flatMap(({ reason, pattern: words }) => {
    const match = words.exec(title)
    if (match === null) return []
    const before = atomsOf(title.slice(0, match.index))
    if (reason === 'other_thing' && before.slice(-2).some(({ text }) => denials.has(text))) return []
    const follows = before.some(({ text }) => query.atoms.has(text))
    const joined = /\+\s*$/u.test(title.slice(0, match.index))
    return [{ reason, isIncluded: ofAccessories.has(reason) && follows && (joined || isIncluded(before)) }]
  })

const accessoryDoubtOf = (query: Query, title: string, atoms: readonly Atom[]): Doubt | null => {
  if (query.namesAccessory) return null
  if (accessoryFollows(title, query) || accessoryPrecedes(title, query)) return 'accessory'
  const namesPart = atoms.some(({ text }) => parts.has(text)) && mayNamePart(title, query.atoms, query.ownNouns)
  return namesPart ? 'part' : null
}

const judge = (query: Query, title: string, condition: string | null): Judgement => {
  const text = plainText(title)
  const atoms = atomsOf(title)
  const joined = atoms.map((atom) => atom.text).join('')
  const unrelated = (reason: UnrelatedReason): Judgement => ({ kind: 'unrelated', reason })
  if (query.excluded.some((words) => words.test(title))) return unrelated('excluded_words')
  const matchAll = (terms: readonly Term[]): ModelMatch => {
    const found = terms.map((term) => matchTerm(term, atoms, text, joined, query))
    return found.find((match) => match !== 'found') ?? 'found'
  }
  const isFound = (alternatives: readonly (readonly Term[])[]) =>
    alternatives.some((terms) => matchAll(terms) === 'found')
  if (!query.models.every(isFound)) return unrelated('other_model')
  // Results match all words, but partly by synonyms and by attributes that the title omits.
  const foundWords = query.words.filter(isFound).length
  if (foundWords * 2 < query.words.length) return unrelated('other_words')
  const found = familiesIn(title, query)
  const family = found.find(({ isIncluded }) => !isIncluded)
  if (family !== undefined) return unrelated(family.reason)
  if (!query.namesAccessory && isMadeFor(atoms, query)) return unrelated('accessory')
  if (isForPlatform(title, query) || (query.isPlatform && offersGame(title))) return unrelated('other_thing')
  const stratum = stratumOf(title, condition)
  const isApart = (stratum === 'for_parts' || stratum === 'lot') && !query.namedStrata.has(stratum)
  const nameDoubt = found.length > 0 ? 'accessory' : accessoryDoubtOf(query, title, atoms)
  const doubt = nameDoubt ?? (foundWords < query.words.length ? 'other_words' : null)
  return { kind: 'related', stratum, apart: isApart ? stratum : null, doubt }
}

/** Share of titles, and fewest of them, in which a noun describes the queried thing itself: fewer may all be accessories. */
const ownShare = 0.8
const fewestTitles = 5

/** Nouns of accessories and parts that nearly all titles have: what a query for "novation launchkey" finds are controllers. */
export const ownNounsOf = (titles: readonly string[]): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const title of titles)
    for (const text of new Set(atomsOf(title).map((atom) => atom.text)))
      if (isAccessoryNoun(text) || followers.has(text) || parts.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1)
  const fewest = Math.max(fewestTitles, titles.length * ownShare)
  return new Set([...counts].flatMap(([noun, count]) => (count >= fewest ? [noun] : [])))
}

/**
 * Judges which sales are comparable with the item of a query. All words with digits (models, sizes, years) must be in the
 * title, and at least half of the others; titles of accessories, parts, empty boxes and other models are unrelated. Broken
 * items and lots are related, but apart from the query's own price unless it names them. `ownNouns` describe the thing itself.
 */
export const createRelevance = (queryText: string, ownNouns: ReadonlySet<string> = new Set()) => {
  const query = compile(queryText, ownNouns)
  return { judge: (title: string, condition: string | null): Judgement => judge(query, title, condition) }
}

/** The stratum of a listing, judged like those of sales. */
export const stratumOfListing = stratumOf
