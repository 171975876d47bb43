import { severityOfLevel } from '../formats/levels.ts'

/**
 * A level that a program writes before its message, after the header of another program: `web1 player[7]: [10:22:17] [INF] it was denied`. Either
 * in brackets, under a key, or after a process id or a place in a file: `smtpd[7]: warning: sign-in failed`, `cart.c:7:5: warning: unused`. Only unambiguous words: `[http]` and `[config]` are
 * components of programs.
 */
const levelPattern =
  /[[<(](?<bracketed>debug|dbg|trace|trc|info|inf|information|notice|warn|warning|wrn|err|error|crit|critical|fatal|ftl|emerg)[\])>]|\b(?:level|lvl|severity)=(?<keyed>[a-z]{3,9})\b|(?:\[\d+\]|^[^\s[\]{}"=]{1,120}): (?<prefixed>debug|info|notice|warning|error|fatal|panic): /i
/** Levels that no other severity rule is triggered by: an enricher must trigger on them, so that a text with nothing else is examined. */
export const ownLevelWords: readonly string[] = ['wrn', 'ftl']

/** A level comes near the start; further on, a text may only mention one. */
const maxPrefixCharacters = 256

/** The severity code of a level within the text, if its format found none; undefined if it names none. */
export const ownLevel = (text: string): number | undefined => {
  const { bracketed, keyed, prefixed } = levelPattern.exec(text.slice(0, maxPrefixCharacters))?.groups ?? {}
  const level = bracketed ?? keyed ?? prefixed
  return level === undefined ? undefined : severityOfLevel(level)
}
