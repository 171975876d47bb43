import { userKeys } from './user-keys.ts'

/** A word as names of users, hosts and addresses are written, without what ends a sentence. */
const word = /(?<![\p{L}\p{N}_.$+%-])[\p{L}\p{N}_](?:[\p{L}\p{N}_.$+-]{0,252}[\p{L}\p{N}_$+])?(?![\p{L}\p{N}_$+-])/gu
/** What hides something already, in the form of masks. */
const hidden = /\[(?:(?:ip4|ip6|mac|email|user|host)(?:-\d{1,6})?|password|token|private-key|credentials|card)\]/u
const hiddenOrWord = new RegExp(`${hidden.source}|${word.source}`, 'gu')
/** Words that now and then stand where a name would, and everywhere else, too. */
const plainWords: ReadonlySet<string> = new Set([
  ...userKeys,
  ...'a an the this that and or not no is are was were be been has have had to from for by with of in on at as it its'.split(
    ' ',
  ),
  ...'host hostname password passwd failed failure error invalid unknown illegal session login logged request'.split(
    ' ',
  ),
  ...'connection connected closed opened port service system process access account accepted authentication client'.split(
    ' ',
  ),
  ...'server name names'.split(' '),
])
/** A number alone is a name by its place only. */
const mayName = (text: string): boolean =>
  text.length > 1 && (/\p{L}/u.test(text) || text.includes('.')) && !plainWords.has(text.toLowerCase())

/** Puts what a name was called in its place wherever else it stands as a whole word; `calledOf` says what, if it was called anything. */
export const replaceNamedAgain = (text: string, calledOf: (word: string) => string | undefined): string =>
  text.replace(hiddenOrWord, (found) => (found.startsWith('[') || !mayName(found) ? found : (calledOf(found) ?? found)))
