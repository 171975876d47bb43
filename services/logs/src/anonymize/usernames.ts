import { replaceNamedAgain } from './named-again.ts'
import { writerOf } from './programs.ts'
import { isPseudonym, type Pseudonyms } from './pseudonyms.ts'
import { userKeys } from './user-keys.ts'

/** Where a user is named: what comes before the name (group 1), the name (group 2). `samples` say what must be found; a test holds each to it. */
export type NamePlace = { pattern: RegExp; samples: Record<string, string[]> }

const name = String.raw`([\p{L}\p{N}_][\p{L}\p{N}_.$+\\-]{0,63})`
const place = (before: string, after: string, samples: NamePlace['samples'], flags = 'giu'): NamePlace => ({
  pattern: new RegExp(`(${before})${name}${after}`, flags),
  samples,
})

/** Any of them, as a pattern. */
export const userKeysPattern = userKeys.map((key) => key.replace('.', String.raw`\.`)).join('|')

/** Tables for people to extend: how programs name users. */
export const namePlaces: readonly NamePlace[] = [
  place(
    String.raw`(?<![\w.])(?:${userKeysPattern})\\?["']?(?:\s{0,3}:\s{0,3}|\s{0,3}=|\s{0,3}=\s{1,3}(?=["']))\\?["']?`,
    '',
    {
      'authentication failure; logname= uid=0 ruser=kim rhost= user=ann': ['kim', 'ann'],
      '{"level":"info","user":"ann","ms":3}': ['ann'],
      'acct="ann" exe="/usr/bin/su"': ['ann'],
      'login: ann.lee-2': ['ann.lee-2'],
      'users=12 superuser=yes': [],
    },
  ),
  place(String.raw`\b(?:Accepted|Failed|Postponed) [\w/-]{1,40} for (?:(?:invalid|illegal) user )?`, '(?= from )', {
    'Accepted publickey for ann from 192.0.2.7 port 51022 ssh2': ['ann'],
    'Failed password for invalid user kim from 192.0.2.7 port 22': ['kim'],
    'Failed to wait for data from upstream': [],
  }),
  place(String.raw`\b(?:invalid|illegal|unknown|authenticating|target|for|by|as|of) user:? ["']?`, '', {
    'Invalid user kim from 192.0.2.7': ['kim'],
    'pam_unix(sshd:session): session opened for user ann(uid=1000)': ['ann'],
    'password authentication failed for user "ann"': ['ann'],
    'Disconnected from authenticating user ann 192.0.2.7 port 22 [preauth]': ['ann'],
  }),
  place(String.raw`\buser ["']`, '(?=["\'])', { "User 'ann' has no access": ['ann'] }),
  place(String.raw`\buser `, String.raw`(?= (?:from|logged|authenticated|connected|disconnected|signed)\b)`, {
    'user ann logged in': ['ann'],
    'the user service connected': ['service'],
    'the user is gone': [],
  }),
  place(String.raw`\b[ae]?uid=\d{1,10}\(`, String.raw`(?=\))`, { 'uid=1000(ann) gid=0': ['ann'] }),
  place(String.raw`\bby `, String.raw`(?=\(uid=\d)`, { 'session opened for x by ann(uid=0)': ['ann'] }),
  place(String.raw`\bsudo(?:\[\d{1,10}\])?: {1,8}`, '(?= : )', {
    'sudo:      ann : TTY=pts/0 ; PWD=/srv ; COMMAND=/bin/ls': ['ann'],
  }),
  place(String.raw`(?<=\(to [^\s)]{1,64}\) )`, '(?= on )', { 'su[7]: (to root) ann on pts/1': ['root', 'ann'] }),
  place(String.raw`\(to `, String.raw`(?=\) \S{1,64} on )`, { 'su[7]: (to kim) ann on pts/1': ['kim', 'ann'] }),
  place('\\(', String.raw`(?=\) CMD\b)`, { 'CRON[811]: (ann) CMD (backup)': ['ann'] }),
  place(String.raw`(?:/home/|/Users/|\\Users\\{1,2})`, '', {
    'open /home/ann/notes.txt failed': ['ann'],
    'C:\\Users\\ann lost': ['ann'],
  }),
  place(String.raw`\bAccount Name:\s{1,8}`, '', { 'Account Name:\t\tann': ['ann'] }),
  place('://', String.raw`(?=(?::[^\s@/]{0,128})?@)`, { 'GET https://ann:x@example.com/': ['ann'] }),
  // The third word of an access log (Apache, "Common Log Format").
  place(
    String.raw`^\S{1,253} \S{1,64} `,
    String.raw`(?= \[\d{2}/[A-Za-z]{3}/\d{4}:)`,
    {
      '192.0.2.7 - ann [12/Jan/2024:03:56:14 +0330] "GET / HTTP/1.1" 200 5': ['ann'],
      '192.0.2.7 - - [12/Jan/2024:03:56:14 +0330] "GET / HTTP/1.1" 200 5': [],
    },
    'gimu',
  ),
]

/** Words that stand where a name would, and name nobody. */
const nobodies = new Set(['unknown', 'null', 'none', 'undefined', 'true', 'false', 'yes', 'no', 'n'])

export const isNobody = (word: string): boolean => nobodies.has(word.toLowerCase())

/** A name as it is written at its place, which may end a sentence or stand behind a domain (`HOME\ann`); `nameOf` says what takes its place. */
export const replaceWrittenName = (written: string, nameOf: (own: string) => string): string => {
  const [, domain = '', own = '', end = ''] = /^(.*\\)?(.*?)([.\\]*)$/.exec(written) ?? []
  if (own === '' || isPseudonym(own) || isNobody(own)) return written
  return `${domain}${nameOf(own)}${end}`
}

/**
 * Puts pseudonyms in place of the names of users, at the places where programs name them, and wherever else the same text has them. The
 * program that wrote the text keeps its name, also when somebody tried it as a user's.
 */
export const replaceUsernames = (text: string, pseudonyms: Pseudonyms): string => {
  const named = new Map<string, string>()
  const nameOf = (own: string): string => {
    const pseudonym = pseudonyms.of('user', own)
    named.set(own, pseudonym)
    return pseudonym
  }
  let replaced = text
  for (const { pattern } of namePlaces)
    replaced = replaced.replace(
      pattern,
      (_match, before: string, written: string) => before + replaceWrittenName(written, nameOf),
    )
  if (named.size === 0) return replaced
  const writer = writerOf(text)
  return replaceNamedAgain(replaced, (word, mayBePerson) =>
    mayBePerson && word !== writer ? named.get(word) : undefined,
  )
}

/** The value of a field that holds the name of a user, as a whole. */
export const replaceUsername = (value: string, pseudonyms: Pseudonyms): string =>
  value === '' || value === '-' || isPseudonym(value) || isNobody(value) ? value : pseudonyms.of('user', value)
