import { userKeys } from './user-keys.ts'

/** A word in the form of names of users, hosts and addresses, without punctuation at the end of a sentence. */
const word = /(?<![\p{L}\p{N}_.$+%-])[\p{L}\p{N}_](?:[\p{L}\p{N}_.$+-]{0,252}[\p{L}\p{N}_$+])?(?![\p{L}\p{N}_$+-])/gu
/** A placeholder of masking. */
const placeholder = /\[(?:(?:ip4|ip6|mac|email|user|host)(?:-\d{1,6})?|password|token|private-key|credentials|card)\]/u
const placeholderOrWord = new RegExp(`${placeholder.source}|${word.source}`, 'gu')
/** Common words that sometimes occur in place of a name. */
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
/** A number alone is a name only where a pattern identifies it. */
const isPossibleName = (text: string): boolean =>
  text.length > 1 && (/\p{L}/u.test(text) || text.includes('.')) && !plainWords.has(text.toLowerCase())

/** How many characters back the start of a path is searched. */
const maxPathCharacters = 256
/** A path up to one of its parts; a host follows two slashes. */
const upToPart = /(?:^|[\s"'`=([{<>,;:|])(?:~|\.{1,2})?\/(?:[^\s"'`]*\/)?$/
/** Folders and API collections whose parts are names of people. */
const endsInPeopleFolder = /\/(?:home|users?|people|members|profiles?|accounts?|mail|cron(?:tabs)?|maildirs?|vmail)\/$/i

/** Whether a word is a part of a path that equals a name by chance, as in `/root` and `/var/lib/mysql`. */
const isPartOfPath = (text: string, at: number): boolean => {
  if (text[at - 1] !== '/' || text[at - 2] === '/') return false
  const before = text.slice(Math.max(0, at - maxPathCharacters), at)
  return upToPart.test(before) && !endsInPeopleFolder.test(before)
}

/** The replacement of a word, if it was named before; `mayBePerson` is false where it cannot be a user, only a host or an address. */
export type ReplacementOf = (word: string, mayBePerson: boolean) => string | undefined

/** Replaces names wherever else they occur as whole words, except users in paths. */
export const replaceRepeatedNames = (text: string, replacementOf: ReplacementOf): string =>
  text.replace(placeholderOrWord, (found, at: number) =>
    found.startsWith('[') || !isPossibleName(found) ? found : (replacementOf(found, !isPartOfPath(text, at)) ?? found),
  )
