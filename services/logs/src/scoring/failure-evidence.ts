import type { Severity } from '../entries/severity-code.ts'

/** What speaks for a kind of message telling of a fault that somebody should look at. */
export type FailureEvidence = {
  /** Logarithm of the odds; 0 is even. What is around a message is added to it. */
  logOdds: number
  /** What speaks for it, as the beginning of a sentence. */
  because: string
  /** Nothing but that something failed: what programs that complain all day write, too. */
  isPlain: boolean
}

/**
 * Wording of messages about failures, by what it says of them. Weights are logarithms of odds. They, and those of the levels, were chosen by hand
 * with the Hadoop, Linux and Zookeeper samples of Loghub at hand; `npm run bench -- logs` measures what they do with other sets.
 */
type Wording = { weight: number; says: string; wording: RegExp }

/** The strongest that is found counts. */
const failures: readonly Wording[] = [
  {
    weight: 2,
    says: 'a machine, its kernel or a program that stopped',
    wording:
      /\bpanic\b|\bkernel (?:terminated|oops|bug)\b|\boops:|\bstopping execution\b|\bmachine check (?:interrupt|exception|error)\b|\b(?:storage|error|parity|bus|nmi|fault) interrupt\b|\buncorrect(?:able|ed)\b|\bsegfault\b|\bsegmentation (?:fault|violation)\b|\bout of memory\b|\boom[- ]?kill|\bhardware error\b|\bdouble fault\b|\bcore dumped\b|\bwatchdog\b.{0,30}\b(?:bark|bit|reset|timeout|lockup)|\b(?:soft|hard) lockup\b|\bunhandled exception\b|\bcrash(?:ed)?\b|\bcaused? (?:a )?shutdown\b|\bcausing shutdown\b/i,
  },
  {
    weight: 1.3,
    says: 'a connection, a disk or a neighbour that was lost',
    wording:
      /\b(?:link|connection|socket|stream|channel)\b.{0,40}\b(?:severed|broken|reset|refused|lost|timed out|aborted)\b|\bno route to host\b|\bunreachable\b|\bbroken pipe\b|\bmount(?:ing)? failed\b|\b(?:input\/output|i\/o) error\b|\bno space left\b|\bdisk (?:is )?full\b|\bread-only file ?system\b|\b(?:bad|dead|lost|failed) (?:data ?node|node|disk|block|sector|replica|host)\b|\b(?:error|failed|failure|unable|cannot|can't|could not) (?:in |to |while )?(?:contact|reach|connect|read|writ|receiv|send|open)(?:t?ing|ing|e)?\b(?! propert)|\bnetwork is down\b|\bnot responding\b|\bcorrupt(?:ed|ion)?\b/i,
  },
  {
    weight: 0.4,
    says: 'something that failed',
    wording:
      /\bfail(?:ed|ure|ures|s|ing)?\b|\berrors?\b|\bexception\b|\bcannot\b|\bcan't\b|\bcould not\b|\bunable to\b|\babort(?:ed|ing)?\b|\bassert(?:ion)?\b|\btimed? ?out\b|\binvalid\b|\bunexpected\b|\billegal\b|\bmissing\b|\bdead\b|\bkilled\b|\babnormal(?:ly)?\b|\bexited with (?:status |code )?[1-9]|\w(?:Exception|Error)\b/i,
  },
]
const plainFailure = failures.at(-1)
const nothing = { weight: -1.2, says: 'nothing that failed' }

/** Each that is found counts. */
const corrections: readonly Wording[] = [
  {
    weight: -2.5,
    says: 'it was repaired',
    wording:
      /\b(?:detected and )?corrected\b|\battempting to correct\b|\brecovered\b|\brestored\b|\b(?:no|0|zero) (?:errors?|failures?|alerts?)\b|\bsucceeded\b|\bsuccess(?:ful|fully)?\b(?!.{0,40}\bfail)/i,
  },
  {
    weight: -2,
    says: 'it is what somebody asked for that was wrong',
    wording:
      /\bno such file\b|\bpermission denied\b|\baccess denied\b|\bforbidden\b|\bnot found\b|\bexec format error\b|\binvalid (?:argument|option|syntax|or missing program)\b|\bsyntax error\b|\bbad request\b|\bunknown (?:option|user|command)\b|\busage:|\bfile too (?:big|large)\b/i,
  },
  {
    weight: -1.5,
    says: 'it is about who may come in',
    wording:
      /\bauth(?:entication|orization)? fail|\blogin (?:failed|incorrect)\b|\binvalid (?:user|password)\b|\bfailed (?:password|login)\b|\bauthentication failed\b/i,
  },
  {
    weight: -1.2,
    says: 'it will be tried again',
    wording: /\bretry(?:ing)?\b|\bwill (?:be )?retr|\btrying again\b/i,
  },
]

/** A name and its value: what a dump of registers or settings is made of, whatever level its program gave it. */
const details =
  /^[^:=]{0,120}(?:[.:=]\s*){1,60}(?:<\*>|0x[\da-f]+|\d+)(?:\s+[\w ]{1,20}[:=]\s*(?:<\*>|0x[\da-f]+|\d+))*$/i
const detailsWeight = -2.5
/** Words that say on their own that such a line is about a failure. */
const failureInDetails = /\b(?:fail(?:ed|ure)|panic|terminated|severed|error interrupt)\b/i

const levelWeights: Readonly<Record<Severity | 'none', number>> = { CRITICAL: 1.5, ERROR: 0.8, WARN: -0.2, none: -1.5 }
const bias = -0.6
/** A level in capitals that no format took for one; as a word in a sentence it would not be. */
const statedLevel = /\b(?:FATAL|EMERG(?:ENCY)?|SEVERE|PANIC|CRITICAL|ALERT)\b/

const levels = /\b(?:FATAL|EMERG(?:ENCY)?|SEVERE|CRITICAL|ALERT|WARN(?:ING)?|INFO|DEBUG)\b/g

/** What a message says comes first. */
const lookedAt = 400

/** Of a message without what differs (`<*>` in its place) and its level. */
export const failureEvidence = (message: string, severity: Severity | null): FailureEvidence => {
  const start = message.slice(0, lookedAt)
  const stated = severity === 'CRITICAL' ? undefined : statedLevel.exec(start)?.[0]
  // A level is no word about what happened.
  const template = start.replace(levels, ' ')
  const level = levelWeights[stated === undefined ? (severity ?? 'none') : 'CRITICAL']
  const failure = failures.find(({ wording }) => wording.test(template)) ?? nothing
  const found = corrections.filter(({ wording }) => wording.test(template))
  const isDetails = details.test(template) && !failureInDetails.test(template)
  const weights = [bias, level, failure.weight, isDetails ? detailsWeight : 0, ...found.map(({ weight }) => weight)]
  const says = [
    stated === undefined ? `Its level is ${severity ?? 'none'}` : `It says ${stated}`,
    `it mentions ${failure.says}`,
    ...found.map((one) => one.says),
  ]
  return {
    logOdds: weights.reduce((sum, weight) => sum + weight, 0),
    because: says.join(', '),
    isPlain: failure === plainFailure,
  }
}

/** The probability of odds whose logarithm this is. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))
