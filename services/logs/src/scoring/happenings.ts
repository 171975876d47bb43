import type { StoredEntry } from '../entries/entry.ts'
import { describeEntry } from '../formats/detect.ts'
import { type Actors, actorsOf } from './actors.ts'
import { type WebRequest, webRequestOf } from './web-request.ts'

/** What an entry tells of that only says something in numbers. */
export type HappeningKind =
  | 'failed_sign_in'
  | 'unknown_user'
  | 'sign_in'
  | 'refused_request'
  | 'missing_page'
  | 'blocked_packet'

export type Happening = Actors & {
  kind: HappeningKind
  entry: StoredEntry
  /** What is counted apart: a page, a port. */
  object: string | null
}

/** Words of which entries that may tell of these have one. */
export const happeningWords = [
  ...[
    'failed',
    'failure',
    'fail',
    'invalid',
    'incorrect',
    'wrong',
    'unknown',
    'illegal',
    'denied',
    'unauthorized',
    'rejected',
    'bad',
  ],
  ...[
    'auth',
    'authentication',
    'login',
    'signin',
    'password',
    'credentials',
    'accepted',
    'opened',
    'success',
    'successful',
    'succeeded',
  ],
  ...['401', '403', '404', '400', '429'],
  ...['block', 'blocked', 'drop', 'dropped', 'reject', 'deny'],
]

const signIn =
  /\baccepted (?:password|publickey|keyboard-interactive\S*) for\b|\b(?:login|logon|authentication|auth|sign-?in) (?:was )?(?:succe(?:ss(?:ful)?|eded)|ok)\b|\bsuccessful(?:ly)? (?:login|log(?:ged)?[ -]?(?:in|on)|authenticated|authentication|sign(?:ed)?[ -]?in)\b|\bsession opened for user\b/i
const failedSignIn =
  /\b(?:login|log-?in|sign-?in|auth(?:entication|enticate)?|logon|password|credentials?|username)\b.{0,60}\b(?:fail(?:ed|ure|s)?|invalid|incorrect|wrong|denied|rejected|mismatch|unsuccessful|error|not (?:found|match|valid))\b|\b(?:fail(?:ed|ure)?|invalid|incorrect|wrong|unauthorized|denied|rejected|bad|unable to)\b.{0,40}\b(?:log-?in|sign-?in|auth(?:entication|enticate|enticating)?|password|credentials?|logon|user(?:name)?)\b/i
const unknownUser =
  /\b(?:invalid|unknown|illegal|non-?existent) user(?:name)?\b|\buser(?:name)?\b.{0,40}\b(?:not found|unknown|does not exist|doesn't exist)\b|\bno such user\b/i
const destinationPort = /\b(?:DPT|dst_?port|dest_?port|dport)["']?[=:]"?(?<port>\d{1,5})/i

const statusKinds: Readonly<Record<number, HappeningKind>> = {
  400: 'missing_page',
  401: 'refused_request',
  403: 'refused_request',
  404: 'missing_page',
}

const ofRequest = (request: WebRequest, entry: StoredEntry): Happening[] => {
  const kind = statusKinds[request.status]
  if (!kind) return []
  return [{ kind, entry, address: request.client, user: null, object: request.path.replace(/\?.*$/, '') }]
}

const ofSignIn = (text: string): HappeningKind | undefined => {
  if (signIn.test(text)) return 'sign_in'
  if (unknownUser.test(text)) return 'unknown_user'
  return failedSignIn.test(text) ? 'failed_sign_in' : undefined
}

/** So much of a text is looked at. */
const lookedAt = 2_048

/** What one entry tells of; most tell of nothing. */
export const happeningsOf = (entry: StoredEntry): Happening[] => {
  const text = entry.text.slice(0, lookedAt)
  const { fields } = describeEntry(entry.origin.format, entry.text)
  const request = webRequestOf(text, fields)
  if (request) return ofRequest(request, entry)
  if (entry.matchedPatterns.includes('firewall_block')) {
    const port = destinationPort.exec(text)?.groups?.port
    return [{ kind: 'blocked_packet', entry, ...actorsOf(text), object: port ?? null }]
  }
  const kind = ofSignIn(text)
  return kind ? [{ kind, entry, ...actorsOf(text), object: null }] : []
}
