import type { Severity } from '../entries/severity-code.ts'

/** Evidence that a template reports a fault that needs attention. */
export type FailureEvidence = {
  /** Logarithm of the odds; 0 is even. The context of a message is added to it. */
  logOdds: number
  /** The reasons, as the beginning of a sentence. */
  because: string
  /** The only evidence is that something failed, which programs that log errors constantly also write. */
  isPlain: boolean
}

/**
 * Wordings of messages about failures, with their descriptions. Weights are logarithms of odds. These weights, and those of the levels, were chosen
 * manually on the Hadoop, Linux and Zookeeper samples of Loghub; `npm run bench -- logs` measures their effect on other data sets.
 */
type Wording = { weight: number; description: string; wording: RegExp }

/** The first (strongest) match counts. */
const failures: readonly Wording[] = [
  {
    weight: 2,
    description: 'a machine, its kernel or a program that stopped',
    wording:
      /\bpanic\b|\bkernel (?:terminated|oops|bug)\b|\boops:|\bstopping execution\b|\bmachine check (?:interrupt|exception|error)\b|\b(?:storage|error|parity|bus|nmi|fault) interrupt\b|\buncorrect(?:able|ed)\b|\bsegfault\b|\bsegmentation (?:fault|violation)\b|\bout of memory\b|\boom[- ]?kill|\bhardware error\b|\bdouble fault\b|\bcore dumped\b|\bwatchdog\b.{0,30}\b(?:bark|bit|reset|timeout|lockup)|\b(?:soft|hard) lockup\b|\bunhandled exception\b|\bcrash(?:ed)?\b|\bcaused? (?:a )?shutdown\b|\bcausing shutdown\b/i,
  },
  {
    weight: 1.3,
    description: 'a connection, a disk or a neighbour that was lost',
    wording:
      /\b(?:link|connection|socket|stream|channel)\b.{0,40}\b(?:severed|broken|reset|refused|lost|timed out|aborted)\b|\bno route to host\b|\bunreachable\b|\bbroken pipe\b|\bmount(?:ing)? failed\b|\b(?:input\/output|i\/o) error\b|\bno space left\b|\bdisk (?:is )?full\b|\bread-only file ?system\b|\b(?:bad|dead|lost|failed) (?:data ?node|node|disk|block|sector|replica|host)\b|\b(?:error|failed|failure|unable|cannot|can't|could not) (?:in |to |while )?(?:contact|reach|connect|read|writ|receiv|send|open)(?:t?ing|ing|e)?\b(?! propert)|\bnetwork is down\b|\bnot responding\b|\bcorrupt(?:ed|ion)?\b/i,
  },
  {
    weight: 0.4,
    description: 'something that failed',
    wording:
      /\bfail(?:ed|ure|ures|s|ing)?\b|\berrors?\b|\bexception\b|\bcannot\b|\bcan't\b|\bcould not\b|\bunable to\b|\babort(?:ed|ing)?\b|\bassert(?:ion)?\b|\btimed? ?out\b|\binvalid\b|\bunexpected\b|\billegal\b|\bmissing\b|\bdead\b|\bkilled\b|\babnormal(?:ly)?\b|\bexited with (?:status |code )?[1-9]|\w(?:Exception|Error)\b/i,
  },
]
const plainFailure = failures.at(-1)
const nothing = { weight: -1.2, description: 'nothing that failed' }

/** Every match counts. */
const corrections: readonly Wording[] = [
  {
    weight: -2.5,
    description: 'it was repaired',
    wording:
      /\b(?:detected and )?corrected\b|\battempting to correct\b|\brecovered\b|\brestored\b|\b(?:no|0|zero) (?:errors?|failures?|alerts?)\b|\bsucceeded\b|\bsuccess(?:ful|fully)?\b(?!.{0,40}\bfail)/i,
  },
  {
    weight: -2,
    description: 'the request itself was wrong',
    wording:
      /\bno such file\b|\bpermission denied\b|\baccess denied\b|\bforbidden\b|\bnot found\b|\bexec format error\b|\binvalid (?:argument|option|syntax|or missing program)\b|\bsyntax error\b|\bbad request\b|\bunknown (?:option|user|command)\b|\busage:|\bfile too (?:big|large)\b/i,
  },
  {
    weight: -1.5,
    description: 'it is about authentication',
    wording:
      /\bauth(?:entication|orization)? fail|\blogin (?:failed|incorrect)\b|\binvalid (?:user|password)\b|\bfailed (?:password|login)\b|\bauthentication failed\b/i,
  },
  {
    weight: -1.2,
    description: 'it will be retried',
    wording: /\bretry(?:ing)?\b|\bwill (?:be )?retr|\btrying again\b/i,
  },
]

/** Names and values: dumps of registers or settings consist of them, whatever level the program chose. */
const details =
  /^[^:=]{0,120}(?:[.:=]\s*){1,60}(?:<\*>|0x[\da-f]+|\d+)(?:\s+[\w ]{1,20}[:=]\s*(?:<\*>|0x[\da-f]+|\d+))*$/i
const detailsWeight = -2.5
/** Words that mark such a line as a failure even so. */
const failureInDetails = /\b(?:fail(?:ed|ure)|panic|terminated|severed|error interrupt)\b/i

const levelWeights: Readonly<Record<Severity | 'none', number>> = { CRITICAL: 1.5, ERROR: 0.8, WARN: -0.2, none: -1.5 }
const bias = -0.6
/** A level in capitals that no format recognised; in lower case it may be an ordinary word. */
const statedLevel = /\b(?:FATAL|EMERG(?:ENCY)?|SEVERE|PANIC|CRITICAL|ALERT)\b/

const levels = /\b(?:FATAL|EMERG(?:ENCY)?|SEVERE|CRITICAL|ALERT|WARN(?:ING)?|INFO|DEBUG)\b/g

/** Characters examined: the main statement of a message comes first. */
const lookedAt = 400

/** Evaluates a template (with `<*>` for variable parts) and its level. */
export const failureEvidence = (message: string, severity: Severity | null): FailureEvidence => {
  const start = message.slice(0, lookedAt)
  const stated = severity === 'CRITICAL' ? undefined : statedLevel.exec(start)?.[0]
  // A level does not describe what happened.
  const template = start.replace(levels, ' ')
  const level = levelWeights[stated === undefined ? (severity ?? 'none') : 'CRITICAL']
  const failure = failures.find(({ wording }) => wording.test(template)) ?? nothing
  const found = corrections.filter(({ wording }) => wording.test(template))
  const isDetails = details.test(template) && !failureInDetails.test(template)
  const weights = [bias, level, failure.weight, isDetails ? detailsWeight : 0, ...found.map(({ weight }) => weight)]
  const reasons = [
    stated === undefined ? `Its level is ${severity ?? 'none'}` : `It contains ${stated}`,
    `it mentions ${failure.description}`,
    ...found.map(({ description }) => description),
  ]
  return {
    logOdds: weights.reduce((sum, weight) => sum + weight, 0),
    because: reasons.join(', '),
    isPlain: failure === plainFailure,
  }
}

/** Converts a logarithm of odds to a probability. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))
