import { keywordsOf } from '../diagnose/keywords.ts'
import { wordsOf } from '../segments/tokens.ts'
import { roles } from './service-names.ts'

/** Names of programs that are also common words or too generic to name the program, as `kernel` and `auth` are. */
const everyday = new Set([
  'kernel',
  'kern',
  'auth',
  'secure',
  'resolved',
  'named',
  'registry',
  'drone',
  'bird',
  'watchdog',
  'swag',
  'emby',
  'npm',
  'nats',
  'envoy',
  'harbor',
  'loki',
  'nut',
  'knot',
  'borg',
  'squid',
  'varnish',
  'pulsar',
])
const programs = new Set(roles.flatMap(({ services }) => services).filter((name) => !everyday.has(name)))

/** A name with a dot that ends like the name of a host: nas.local, db.example.org. */
const qualified = /^[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*\.[a-z]{2,}$/i
const address = /^(?:\d{1,3}\.){3}\d{1,3}$/
/** A numbered name: web-01, node3, nas-2; with at least two letters before the digits. */
const counted = /^[a-z]{2,}(?:-[a-z]+)*-?\d{1,3}$/i
/** Numbered words that are not machines: amounts, times, versions, protocols, screens. */
const notMachines =
  /^(?:http|https|ipv|utf|sha|md|mp|h|ip|tls|ssl|raid|port|error|code|exit|level|page|line|step|ext|sd|nvme|eth|wlan|usb|covid|windows|win|ubuntu|debian|fedora|python|java|node\.?js|php|am|pm|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-?\d+$/i
/** Extensions of files, not of hosts. */
const fileEnding =
  /\.(?:log|gz|txt|conf|cfg|yaml|yml|json|xml|ini|service|timer|socket|mount|py|js|ts|sh|php|html?|css|zip|tar|sql|db|exe|dll|so|mkv|mp[34]|jpe?g|png|pdf)$/i
/** A name follows these words. */
const introduced =
  /\b(?:host|server|machine|box|vm|container|service|called|named)\s+["'`]?([a-z][a-z\d._-]{2,62})["'`]?/gi
/** Words that may follow such a word and are not names. */
const plainWords = new Set(
  (
    'stopped stops stop crashed crashes crash fails failed fail went offline slow while cannot restarts restarted restart room side name names named ' +
    'error errors log logs looks running runs ran side crashes hangs froze freezes'
  ).split(' '),
)

const max = 20

/** Tokens of a complaint, without the punctuation around them. */
const tokensOf = (text: string): string[] =>
  text
    .split(/[\s,;()[\]{}"'`<>|=/\\]+/)
    // No name with punctuation is longer, and removing the punctuation takes time that is quadratic in the length.
    .filter((token) => token.length <= 500)
    .map((token) => token.replace(/^[.:!?-]+|[.:!?-]+$/g, ''))
    .filter((token) => token !== '' && token.length <= 253)

const looksLikeHost = (token: string): boolean =>
  address.test(token) ||
  (qualified.test(token) && !fileEnding.test(token)) ||
  (counted.test(token) && !notMachines.test(token))

/** Whether a word of the name is a word of a source's id, or one begins with the other: `postgres` matches `postgresql`. */
const isTracked = (name: string, known: ReadonlySet<string>): boolean => {
  const words = wordsOf(name)
  return words.some(
    (word) =>
      known.has(word) ||
      (word.length >= 5 &&
        [...known].some((other) => other.startsWith(word) || (other.length >= 5 && word.startsWith(other)))),
  )
}

/** Whether a part of a source's id is the name or begins with it: `db01` is tracked by `db01-syslog` and by `ssh:db01.lan:auth`. */
const isPartOf = (name: string, parts: readonly string[]): boolean =>
  parts.some((part) => part.startsWith(name) && !/^[a-z\d]/.test(part.slice(name.length)))

/**
 * Names of hosts and services in a text that have no source: known programs, tokens that look like a host (a name with dots or a number, an
 * address), and the word after a word such as "host". In the order of the text, each once, as written.
 */
export const untrackedNames = (text: string, sourceIds: readonly string[]): string[] => {
  const known = new Set(sourceIds.flatMap((sourceId) => wordsOf(sourceId)))
  const parts = [...new Set(sourceIds.flatMap((sourceId) => sourceId.toLowerCase().split(/[:/\s]/)))]
  const named = [...text.matchAll(introduced)]
    .map((match) => (match[1] ?? '').replace(/[._-]+$/, ''))
    .filter((name) => name.length > 2 && !plainWords.has(name.toLowerCase()) && keywordsOf(name).length > 0)
  const names = [
    ...tokensOf(text).filter((token) => programs.has(token.toLowerCase()) || looksLikeHost(token)),
    ...named,
  ].filter((name) => !isPartOf(name.toLowerCase(), parts) && (looksLikeHost(name) || !isTracked(name, known)))
  const byName = new Map(names.toReversed().map((name) => [name.toLowerCase(), name] as const))
  return [...byName.values()].toSorted((a, b) => text.indexOf(a) - text.indexOf(b)).slice(0, max)
}
