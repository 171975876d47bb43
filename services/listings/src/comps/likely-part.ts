import { type Atom, atomsOf } from './title-atoms.ts'
import { inclusion, longInclusion, madeFor, partNouns, trailingWords, wordSet } from './unrelated-words.ts'

export const parts = wordSet(partNouns)
const trailing = wordSet(trailingWords)
const included = wordSet(longInclusion)
/** Words that end the noun phrase before them. */
const phraseEnds = new Set([...wordSet(inclusion), ...wordSet(madeFor)])

/** Ends a phrase of a title; a hyphen, slash or plus sign does so only between spaces. */
const punctuation = /[,;:()[\]{}|•·!]|\s[-–—/+&*]\s/u

/** The phrases of a title, each in atoms. */
export const phrasesOf = (title: string): readonly (readonly Atom[])[] => title.split(punctuation).map(atomsOf)

const hasDigit = (text: string): boolean => /\d/.test(text)

/** Words of the query in a row that must precede a part's noun: fewer may be a brand, whose belts are no parts of it. */
const fewestModifiers = 2

/** How many words of the query stand in a row before an index. */
const modifiersBefore = (phrase: readonly Atom[], index: number, queried: ReadonlySet<string>): number => {
  const at = phrase.slice(0, index).findLastIndex(({ text }) => !queried.has(text))
  return index - at - 1
}

/** Whether a noun is the last of its compound, which names what is offered: not the filter of "Filter System". */
const isHead = (phrase: readonly Atom[], index: number): boolean => {
  const [next, glued] = phrase.slice(index + 1).filter(({ text }) => !trailing.has(text))
  if (next === undefined || phraseEnds.has(next.text) || hasDigit(next.text)) return true
  // "SMS46"
  return glued?.isGlued === true && hasDigit(glued.text)
}

const headsPart = (phrase: readonly Atom[], queried: ReadonlySet<string>, ownNouns: ReadonlySet<string>): boolean =>
  phrase.some(({ text }, index) => {
    if (!parts.has(text) || queried.has(text) || ownNouns.has(text) || !isHead(phrase, index)) return false
    if (phrase.slice(0, index).some((word) => included.has(word.text))) return false
    const before = phrase[index - 1]
    const isQualified = before !== undefined && !queried.has(before.text) && !phraseEnds.has(before.text)
    // "Intake Rubber Hose"
    const end = isQualified && !hasDigit(before.text) ? index - 1 : index
    return modifiersBefore(phrase, end, queried) >= fewestModifiers
  })

/**
 * Whether a title may offer a part of the queried thing: in the first phrase with the query's words, the head noun is a part, and the words only modify it
 * ("Cold Air Intake Hose for VW"). A title alone cannot show it, since sellers also write "Camera Strap" for a camera with one.
 */
export const mayNamePart = (title: string, queried: ReadonlySet<string>, ownNouns: ReadonlySet<string>): boolean => {
  const named = phrasesOf(title).find((phrase) =>
    phrase.some((_, index) => modifiersBefore(phrase, index + 1, queried) >= fewestModifiers),
  )
  return named !== undefined && headsPart(named, queried, ownNouns)
}
