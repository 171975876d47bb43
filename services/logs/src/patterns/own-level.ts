import { severityOfLevel } from '../formats/levels.ts'

/**
 * A level as a program writes it before what it says, behind a header of somebody else: `web1 player[7]: [10:22:17] [INF] it was denied`. In brackets,
 * under its key, or right behind the program's number: `smtpd[7]: warning: sign-in failed`. Only words that stand for nothing else: `[http]` and `[config]` are parts of programs.
 */
const written =
  /[[<(](?<bracketed>debug|dbg|trace|trc|info|inf|information|notice|warn|warning|wrn|err|error|crit|critical|fatal|ftl|emerg)[\])>]|\b(?:level|lvl|severity)=(?<keyed>[a-z]{3,9})\b|\[\d+\]: (?<prefixed>debug|info|notice|warning|error|fatal|panic): /i
/** Of these levels no rule for words listens for: an enricher has to, so that a text which has nothing else is looked at. */
export const ownLevelWords: readonly string[] = ['wrn', 'ftl']

/** A level comes first; further on somebody may speak of one. */
const lookedAt = 256

/** The severity's code of the level that a text names itself, where its format did not find one; undefined where it names none. */
export const ownLevel = (text: string): number | undefined => {
  const { bracketed, keyed, prefixed } = written.exec(text.slice(0, lookedAt))?.groups ?? {}
  const level = bracketed ?? keyed ?? prefixed
  return level === undefined ? undefined : severityOfLevel(level)
}
