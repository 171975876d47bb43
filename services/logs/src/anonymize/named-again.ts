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

/** As far back as it is looked for where a path begins. */
const maxOfPath = 256
/** A path up to one of its parts; a host stands behind two slashes. */
const upToPart = /(?:^|[\s"'`=([{<>,;:|])(?:~|\.{1,2})?\/(?:[^\s"'`]*\/)?$/
/** Folders, and collections of an API, whose parts are called like people. */
const peopleHold = /\/(?:home|users?|people|members|profiles?|accounts?|mail|cron(?:tabs)?|maildirs?|vmail)\/$/i

/** Whether what stands there is a part of a path that is called like somebody by chance, as `/root` and `/var/lib/mysql` are. */
const isPartOfPath = (text: string, at: number): boolean => {
  if (text[at - 1] !== '/' || text[at - 2] === '/') return false
  const before = text.slice(Math.max(0, at - maxOfPath), at)
  return upToPart.test(before) && !peopleHold.test(before)
}

/** What a word was called, if it was called anything; where it stands for no person, only as another thing. */
export type CalledOf = (word: string, mayBePerson: boolean) => string | undefined

/** Puts what a name was called in its place wherever else it stands as a whole word, but for users in paths. */
export const replaceNamedAgain = (text: string, calledOf: CalledOf): string =>
  text.replace(hiddenOrWord, (found, at: number) =>
    found.startsWith('[') || !mayName(found) ? found : (calledOf(found, !isPartOfPath(text, at)) ?? found),
  )
