import { type Severity, severityCode } from '../entries/severity-code.ts'

const { CRITICAL, ERROR, WARN } = severityCode
const none = 0

/** Words for how bad something is, as programs write them, to the severity's code; 0 for those that are no trouble. */
const levelWords: readonly (readonly [number, string])[] = [
  [CRITICAL, 'emerg emergency alert crit critical fatal panic dpanic failure ftl fatal! disaster fata pani pnc fault'],
  [ERROR, 'err error errors severe eror erro high fail failed stderr'],
  [WARN, 'warn warning wrn warnings medium'],
  [
    none,
    'notice info information informational inf debug dbg trace trc verbose vrb fine finer finest config log ok low stdout',
  ],
  [
    none,
    'note statement detail hint context stats notification audit success default silly http unknown fyi trac debu trce dbug',
  ],
  // As Java and PostgreSQL translate theirs.
  [CRITICAL, 'panik panique паника важно 致命错误'],
  [ERROR, 'fehler schwerwiegend erreur grave errore erro ошибка 错误'],
  [WARN, 'warnung avertissement attention advertencia avvertenza attenzione aviso предупреждение 警告'],
  [
    none,
    'hinweis anweisung tipp zusammenhang infos instruction détail astuce contexte сообщение замечание оператор подробности подсказка контекст 日志 注意 语句 提示 信息 情報',
  ],
]

/** Single letters as klog, logcat, MongoDB and Ruby write them, and the marks of Redis. */
const levelLetters: Record<string, number> = {
  F: CRITICAL,
  C: CRITICAL,
  A: CRITICAL,
  E: ERROR,
  W: WARN,
  N: none,
  I: none,
  D: none,
  V: none,
  T: none,
  '#': WARN,
  '*': none,
  '-': none,
  '.': none,
}

const byWord = new Map(levelWords.flatMap(([code, words]) => words.split(' ').map((word) => [word, code] as const)))
const known = new Map<string, number | undefined>()
const maxKnown = 1_000

/** The severity's code of a level's name, whatever its case; undefined for a word that is no level. `DEBUG3` is a debug. */
export const severityOfLevel = (level: string): number | undefined => {
  if (known.has(level)) return known.get(level)
  const code =
    level.length === 1 ? levelLetters[level.toUpperCase()] : byWord.get(level.toLowerCase().replace(/\d+$/, ''))
  if (known.size < maxKnown) known.set(level, code)
  return code
}

/** As `severityOfLevel`, by a format's own words first. */
export const severityOfWord = (
  level: string,
  own: ReadonlyMap<string, Severity | null> | undefined,
): number | undefined => {
  const severity = own?.get(level.trim().toLowerCase())
  if (severity === undefined) return severityOfLevel(level)
  return severity === null ? none : severityCode[severity]
}

/** Numbers in place of names: what is at least as bad as the first number of a row has its severity. */
export type NumericLevels = { scheme: 'pino' | 'syslog' | 'nextcloud' | 'openTelemetry' | 'cvss' }

/** Pino and Bunyan: 60 fatal, 50 error, 40 warn. */
const pino = (level: number) => (level >= 60 ? CRITICAL : level >= 50 ? ERROR : level >= 40 ? WARN : none)
/** RFC 5424 section 6.2.1: 0 emergency to 7 debug. */
export const syslogSeverity = (level: number): number =>
  level <= 2 ? CRITICAL : level === 3 ? ERROR : level === 4 ? WARN : none
/** Nextcloud: 0 debug to 4 fatal. */
const nextcloud = (level: number) => (level >= 4 ? CRITICAL : level === 3 ? ERROR : level === 2 ? WARN : none)
/** OpenTelemetry's SeverityNumber: 13 warn, 17 error, 21 fatal. */
const openTelemetry = (level: number) => (level >= 21 ? CRITICAL : level >= 17 ? ERROR : level >= 13 ? WARN : none)

/** The ratings of CVSS 3.1, section 5: 9 critical, 7 high, 4 medium. */
const cvss = (level: number) => (level >= 9 ? CRITICAL : level >= 7 ? ERROR : level >= 4 ? WARN : none)

const schemes = { pino, syslog: syslogSeverity, nextcloud, openTelemetry, cvss }

export const severityOfNumber = (scheme: NumericLevels['scheme'], level: number): number => schemes[scheme](level)

/** Of two severities' codes that of the worse. */
export const worseOf = (one: number, other: number): number =>
  one === none || other === none ? one + other : Math.min(one, other)

/** An HTTP status: the server's fault is an error, a refused request a warning. */
export const severityOfStatus = (status: string): number =>
  status.startsWith('5') ? ERROR : status.startsWith('4') ? WARN : none
