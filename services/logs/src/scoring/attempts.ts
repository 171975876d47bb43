import type { StoredEntry } from '../entries/entry.ts'
import type { SecurityEvent } from './security-events.ts'

/**
 * The lines that sshd and its password checks write about one attempt, each with its own wording: the account does not exist, a check failed, a
 * password was refused, the client was notified. The first wording that matches counts.
 */
const wordings: readonly { name: string; wording: RegExp }[] = [
  { name: 'request', wording: /\binput_userauth_request: (?:invalid|illegal) user\b/i },
  { name: 'refused', wording: /\b(?:failed|postponed) [\w/-]{1,40} for\b/i },
  { name: 'broken off', wording: /\b(?:disconnected from|connection (?:closed|reset) by)\b/i },
  {
    name: 'notified',
    wording: /\b(?:received disconnect\b.{0,200}\bauth|auth fail\b|disconnecting\b|maximum authentication attempts\b)/i,
  },
  { name: 'account', wording: /\b(?:invalid|illegal) user\b|\bnot allowed because\b/i },
  { name: 'check', wording: /\bcheck pass; user unknown\b/i },
  { name: 'failure', wording: /\bauthentication failures?\b/i },
]
/** A program and its process id in syslog format; sshd has one process per connection. */
const process = /(?<![\w.-])([a-z][\w.-]{0,47}\[\d{1,10}\]):/i
/** Characters examined: headers come first, and lines about attempts are short. */
const lookedAt = 1_024

/** Maximum pause between two lines of one attempt; a password is refused seconds after it was checked. */
const pauseMilliseconds = 15_000
/** Processes with an open attempt that are tracked; beyond that, the least recently seen is evicted. */
const maxOpen = 64

type Attempt = { time: number; user: string | null; address: string | null; wordings: Set<string> }

const matches = (known: string | null, found: string | null): boolean =>
  known === null || found === null || known === found

/** The process that wrote a line about an attempt, and the line's wording; null if either is missing. */
type AttemptWording = { writer: string; wording: string } | null

const readWording = (text: string): AttemptWording => {
  const start = text.slice(0, lookedAt)
  const writer = process.exec(start)?.[1]
  const wording = writer === undefined ? undefined : wordings.find((one) => one.wording.test(start))?.name
  return writer === undefined || wording === undefined ? null : { writer, wording }
}

/** Reads an entry once for the successive counters that receive it. */
export const createAttemptReader = (): ((entry: StoredEntry) => AttemptWording) => {
  let last: { entry: StoredEntry; wording: AttemptWording } | undefined
  return (entry) => {
    if (last?.entry !== entry) last = { entry, wording: readWording(entry.text) }
    return last.wording
  }
}

/**
 * Counts attempts rather than lines: lines of one process about the same account and address that follow each other soon, each with a different
 * wording, are one attempt. A repeated wording starts another. Takes events in time order, and returns the number of attempts that each adds.
 */
export const createAttemptCounter = (read = createAttemptReader()): ((event: SecurityEvent) => number) => {
  const open = new Map<string, Attempt>()
  return ({ entry, user, address }) => {
    const found = read(entry)
    if (!found) return entry.repeatCount
    const { writer, wording } = found
    const time = entry.effectiveTime
    const known = open.get(writer)
    const isSame =
      known !== undefined &&
      time - known.time <= pauseMilliseconds &&
      !known.wordings.has(wording) &&
      matches(known.user, user) &&
      matches(known.address, address)
    open.delete(writer)
    open.set(
      writer,
      isSame
        ? {
            time,
            user: known.user ?? user,
            address: known.address ?? address,
            wordings: known.wordings.add(wording),
          }
        : { time, user, address, wordings: new Set([wording]) },
    )
    if (open.size > maxOpen) {
      const [oldest] = open.keys()
      if (oldest !== undefined) open.delete(oldest)
    }
    return isSame ? 0 : entry.repeatCount
  }
}
