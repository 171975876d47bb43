import { writerOf } from './programs.ts'
import { isPseudonym, type Pseudonyms } from './pseudonyms.ts'
import { replaceRepeatedNames } from './repeated-names.ts'
import { userKeys } from './user-keys.ts'

/** A context in which programs name users: the text before the name (group 1), and the name (group 2). A test checks the samples. */
export type NamePattern = { pattern: RegExp; samples: Record<string, string[]> }

const name = String.raw`([\p{L}\p{N}_][\p{L}\p{N}_.$+\\-]{0,63})`
const namePattern = (before: string, after: string, samples: NamePattern['samples'], flags = 'giu'): NamePattern => ({
  pattern: new RegExp(`(${before})${name}${after}`, flags),
  samples,
})

/** Matches any of the keys. */
export const userKeysPattern = userKeys.map((key) => key.replace('.', String.raw`\.`)).join('|')

/** How programs name users; extend this table for more. */
export const namePatterns: readonly NamePattern[] = [
  namePattern(
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
  namePattern(
    String.raw`\b(?:Accepted|Failed|Postponed) [\w/-]{1,40} for (?:(?:invalid|illegal) user )?`,
    '(?= from )',
    {
      'Accepted publickey for ann from 192.0.2.7 port 51022 ssh2': ['ann'],
      'Failed password for invalid user kim from 192.0.2.7 port 22': ['kim'],
      'Failed to wait for data from upstream': [],
    },
  ),
  namePattern(String.raw`\b(?:invalid|illegal|unknown|authenticating|target|for|by|as|of) user:? ["']?`, '', {
    'Invalid user kim from 192.0.2.7': ['kim'],
    'pam_unix(sshd:session): session opened for user ann(uid=1000)': ['ann'],
    'password authentication failed for user "ann"': ['ann'],
    'Disconnected from authenticating user ann 192.0.2.7 port 22 [preauth]': ['ann'],
  }),
  namePattern(String.raw`\buser ["']`, '(?=["\'])', { "User 'ann' has no access": ['ann'] }),
  namePattern(String.raw`\buser `, String.raw`(?= (?:from|logged|authenticated|connected|disconnected|signed)\b)`, {
    'user ann logged in': ['ann'],
    'the user service connected': ['service'],
    'the user is gone': [],
  }),
  namePattern(String.raw`\b[ae]?uid=\d{1,10}\(`, String.raw`(?=\))`, { 'uid=1000(ann) gid=0': ['ann'] }),
  namePattern(String.raw`\bby `, String.raw`(?=\(uid=\d)`, { 'session opened for x by ann(uid=0)': ['ann'] }),
  namePattern(String.raw`\bsudo(?:\[\d{1,10}\])?: {1,8}`, '(?= : )', {
    'sudo:      ann : TTY=pts/0 ; PWD=/srv ; COMMAND=/bin/ls': ['ann'],
  }),
  namePattern(String.raw`(?<=\(to [^\s)]{1,64}\) )`, '(?= on )', { 'su[7]: (to root) ann on pts/1': ['root', 'ann'] }),
  namePattern(String.raw`\(to `, String.raw`(?=\) \S{1,64} on )`, { 'su[7]: (to kim) ann on pts/1': ['kim', 'ann'] }),
  namePattern('\\(', String.raw`(?=\) CMD\b)`, { 'CRON[811]: (ann) CMD (backup)': ['ann'] }),
  namePattern(String.raw`(?:/home/|/Users/|\\Users\\{1,2})`, '', {
    'open /home/ann/notes.txt failed': ['ann'],
    'C:\\Users\\ann lost': ['ann'],
  }),
  namePattern(String.raw`\bAccount Name:\s{1,8}`, '', { 'Account Name:\t\tann': ['ann'] }),
  namePattern('://', String.raw`(?=(?::[^\s@/]{0,128})?@)`, { 'GET https://ann:x@example.com/': ['ann'] }),
  // The third word of an access log (Apache, "Common Log Format").
  namePattern(
    String.raw`^\S{1,253} \S{1,64} `,
    String.raw`(?= \[\d{2}/[A-Za-z]{3}/\d{4}:)`,
    {
      '192.0.2.7 - ann [12/Jan/2024:03:56:14 +0330] "GET / HTTP/1.1" 200 5': ['ann'],
      '192.0.2.7 - - [12/Jan/2024:03:56:14 +0330] "GET / HTTP/1.1" 200 5': [],
    },
    'gimu',
  ),
]

/** Words that occur in place of a name and are none. */
const nonNames = new Set(['unknown', 'null', 'none', 'undefined', 'true', 'false', 'yes', 'no', 'n'])

export const isNonName = (word: string): boolean => nonNames.has(word.toLowerCase())

/** Replaces a name as written, which may end a sentence or follow a domain (`HOME\ann`), by the result of `nameOf`. */
export const replaceWrittenName = (written: string, nameOf: (own: string) => string): string => {
  const [, domain = '', own = '', end = ''] = /^(.*\\)?(.*?)([.\\]*)$/.exec(written) ?? []
  if (own === '' || isPseudonym(own) || isNonName(own)) return written
  return `${domain}${nameOf(own)}${end}`
}

/**
 * Replaces user names by pseudonyms where programs name them, and wherever else they occur in the text. The name of the program that wrote the
 * text is retained, even if a client tried it as a user name.
 */
export const replaceUsernames = (text: string, pseudonyms: Pseudonyms): string => {
  const named = new Map<string, string>()
  const nameOf = (own: string): string => {
    const pseudonym = pseudonyms.of('user', own)
    named.set(own, pseudonym)
    return pseudonym
  }
  let replaced = text
  for (const { pattern } of namePatterns)
    replaced = replaced.replace(
      pattern,
      (_match, before: string, written: string) => before + replaceWrittenName(written, nameOf),
    )
  if (named.size === 0) return replaced
  const writer = writerOf(text)
  return replaceRepeatedNames(replaced, (word, mayBePerson) =>
    mayBePerson && word !== writer ? named.get(word) : undefined,
  )
}

/** The pseudonym for a field whose whole value is a user name. */
export const replaceUsername = (value: string, pseudonyms: Pseudonyms): string =>
  value === '' || value === '-' || isPseudonym(value) || isNonName(value) ? value : pseudonyms.of('user', value)
