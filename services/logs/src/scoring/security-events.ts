import type { StoredEntry } from '../entries/entry.ts'
import { type Actors, actorsOf } from './actors.ts'
import { blockedPacketOf, blockedPacketWords } from './blocked-packet.ts'
import { missingFileOf } from './missing-file.ts'
import { renamedFileOf, renamedFileWords } from './renamed-file.ts'
import { requestFieldsOf } from './request-fields.ts'
import { isDefaultAccount, signInOf, signInWords } from './sign-in-wording.ts'
import { kindsOfRequest } from './web-events.ts'
import { type WebRequest, webRequestOf } from './web-request.ts'

/** An event that is only suspicious when it is frequent. */
export type SecurityEventKind =
  | 'failed_sign_in'
  | 'unknown_user'
  | 'broken_off_sign_in'
  | 'sign_in'
  | 'default_account'
  | 'sign_in_request'
  | 'refused_request'
  | 'missing_page'
  | 'sought_place'
  | 'limited_request'
  | 'blocked_packet'
  | 'refused_query'
  | 'refused_mail'
  | 'failed_payment'
  | 'encrypted_file'
  | 'appended_extension'

export type SecurityEvent = Actors & {
  kind: SecurityEventKind
  entry: StoredEntry
  /** The object that distinct counts are made of: a page, a port, a file, a type of file. */
  object: string | null
  /** The user agent. */
  agent: string | null
}

/** Wordings of events that are neither sign-ins nor requests; the first that matches counts. */
const wordings: readonly { kind: SecurityEventKind; words: string; wording: RegExp }[] = [
  {
    kind: 'limited_request',
    words: 'limiting ratelimit ratelimited limit throttled throttling many',
    wording:
      /\blimiting requests\b|\brate[ -]?limit(?:ed)?(?:ing)? (?:exceeded|reached|hit)\b|\btoo many requests\b|\bthrottl(?:ed|ing) (?:client|request)/i,
  },
  {
    kind: 'refused_query',
    words: 'query transfer recursion',
    wording: /\b(?:query|recursion|zone transfer)\b.{0,200}\b(?:denied|refused)\b/i,
  },
  {
    kind: 'refused_mail',
    words: 'rcpt sender recipient relay helo ehlo reject ruleset expn vrfy rejecting errors dropped such unknown',
    wording: new RegExp(
      [
        String.raw`\breject(?:ed)?:? (?:rcpt|mail|[eh]elo|ehlo|data|bdat|vrfy|etrn|connect)\b|\brejected (?:after data|connection)\b|\brejected by local scan\b`,
        String.raw`\bsender verify fail\b|\brecipient address rejected\b|\brelay(?:ing)? (?:access )?denied\b|\brelay attempt\b`,
        String.raw`\bruleset=check \w{1,40}\b.{0,500}\breject=[45]\d\d\b|\b(?:expn|vrfy) \S{1,128} \[rejected\]|\brejecting commands from\b`,
        String.raw`\btoo many errors after \w{1,20} from\b|\bdropped: too many\b`,
        // An unknown recipient is no account that signs in.
        String.raw`<[^>\s]{1,320}>\.{3} (?:no such user|user unknown)\b`,
      ].join('|'),
      'i',
    ),
  },
  {
    kind: 'failed_payment',
    words: 'payment card charge transaction checkout',
    wording:
      /\b(?:payment|card|charge|checkout|transaction)\b.{0,30}\b(?:failed|declined|refused)\b|\bdeclined card\b/i,
  },
]

/** Every entry that may report such an event contains one of these words. */
export const securityEventWords: readonly string[] = [
  ...signInWords,
  ...wordings.flatMap(({ words }) => words.split(' ')),
  ...['400', '401', '403', '404', '405', '422', '429', 'post'],
  ...blockedPacketWords,
  ...renamedFileWords,
]

/** Characters of a text that are examined. */
const lookedAt = 4_096

const ofRequest = (request: WebRequest, entry: StoredEntry): SecurityEvent[] => {
  const object = request.path.replace(/\?.*$/, '')
  const rest = { entry, address: request.client, user: null, object, agent: request.agent || null }
  return kindsOfRequest(request, object).map((kind) => ({ kind, ...rest }))
}

/** The reply of another server to a mail that this one delivers: its address is no client. */
const ownDelivery = /\bdsn=[245]\.\d{1,3}\.\d{1,3}\b|\bsmtp error from remote mail server\b/i

const ofWording = (text: string): SecurityEventKind | undefined => {
  const plain = text.includes('_') ? text.replaceAll('_', ' ') : text
  return wordings.find(({ wording }) => wording.test(plain))?.kind
}

/** The events that one entry reports; most entries report none. */
export const securityEventsOf = (entry: StoredEntry): SecurityEvent[] => {
  const text = entry.text.slice(0, lookedAt)
  const signIn = signInOf(text)
  const request = webRequestOf(text, () => requestFieldsOf(entry)) ?? missingFileOf(text)
  if (request) {
    const events = ofRequest(request, entry)
    // What an application logs about a sign-in beside its request is more specific than a status.
    if (events.length > 0 || !signIn) return events
  }
  const packet = blockedPacketOf(text, entry.matchedPatterns.includes('firewall_block'))
  if (packet) {
    const { source, port } = packet
    return [{ kind: 'blocked_packet', entry, address: source, user: null, object: port, agent: null }]
  }
  const renamed = renamedFileOf(text)
  if (renamed) {
    const { path, formerExtension, isRansomware } = renamed
    const object = isRansomware ? path : formerExtension
    const kind = isRansomware ? 'encrypted_file' : 'appended_extension'
    return [{ kind, entry, ...actorsOf(text), object, agent: null }]
  }
  if (ownDelivery.test(text)) return []
  const kind = ofWording(text) ?? signIn
  if (!kind) return []
  const event: SecurityEvent = { kind, entry, ...actorsOf(text), object: null, agent: null }
  const isGuess = kind === 'failed_sign_in' || kind === 'unknown_user'
  const isDefault = isGuess && event.user !== null && isDefaultAccount(event.user)
  return isDefault ? [event, { ...event, kind: 'default_account' }] : [event]
}
