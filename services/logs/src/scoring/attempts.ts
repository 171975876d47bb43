import type { StoredEntry } from '../entries/entry.ts'
import type { Happening } from './happenings.ts'

/**
 * What sshd and what checks passwords for it write of one attempt, each line in words of its own: an account that there is none of, a check that
 * failed, a password that was refused, a client that was told so. The first that fits counts.
 */
const wordings: readonly { name: string; wording: RegExp }[] = [
  { name: 'request', wording: /\binput_userauth_request: (?:invalid|illegal) user\b/i },
  { name: 'refused', wording: /\b(?:failed|postponed) [\w/-]{1,40} for\b/i },
  { name: 'broken off', wording: /\b(?:disconnected from|connection (?:closed|reset) by)\b/i },
  { name: 'told', wording: /\b(?:received disconnect\b.{0,200}\bauth|auth fail\b|disconnecting\b)/i },
  { name: 'account', wording: /\b(?:invalid|illegal) user\b/i },
  { name: 'check', wording: /\bcheck pass; user unknown\b/i },
  { name: 'failure', wording: /\bauthentication failures?\b/i },
]
/** A program and its process, as syslog writes them: sshd has one for each connection. */
const process = /(?<![\w.-])([a-z][\w.-]{0,47}\[\d{1,10}\]):/i
/** Headers come first, and what is told of an attempt is short. */
const lookedAt = 1_024

/** What is written of one attempt comes within so long of the line before; a password is refused seconds after it was checked. */
const pauseMilliseconds = 15_000
/** Processes in the midst of an attempt that are remembered; of more, the longest unseen are forgotten. */
const maxOpen = 64

type Attempt = { time: number; user: string | null; address: string | null; wordings: Set<string> }

const fits = (known: string | null, told: string | null): boolean => known === null || told === null || known === told

/** Who wrote a line about an attempt, and in which of those wordings; null where one of them is not told. */
type AttemptWording = { writer: string; wording: string } | null

const toldIn = (text: string): AttemptWording => {
  const start = text.slice(0, lookedAt)
  const writer = process.exec(start)?.[1]
  const wording = writer === undefined ? undefined : wordings.find((one) => one.wording.test(start))?.name
  return writer === undefined || wording === undefined ? null : { writer, wording }
}

/** Reads an entry once for all the counters that it comes to, one after the other. */
export const createAttemptReader = (): ((entry: StoredEntry) => AttemptWording) => {
  let last: { entry: StoredEntry; told: AttemptWording } | undefined
  return (entry) => {
    if (last?.entry !== entry) last = { entry, told: toldIn(entry.text) }
    return last.told
  }
}

/**
 * Counts attempts rather than what is written of them: lines of one process about the same account and address, soon after each other and each
 * in other words, are one. The same words again are another one. Takes happenings in the order of time, and gives how many attempts each adds.
 */
export const createAttemptCounter = (read = createAttemptReader()): ((happening: Happening) => number) => {
  const open = new Map<string, Attempt>()
  return ({ entry, user, address }) => {
    const told = read(entry)
    if (!told) return entry.repeatCount
    const { writer, wording } = told
    const time = entry.effectiveTime
    const known = open.get(writer)
    const isSame =
      known !== undefined &&
      time - known.time <= pauseMilliseconds &&
      !known.wordings.has(wording) &&
      fits(known.user, user) &&
      fits(known.address, address)
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
