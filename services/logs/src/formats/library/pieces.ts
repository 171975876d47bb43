/** Pieces that patterns of several formats are made of. Interpolated into patterns at load, never at a line. */
export const isoDate = String.raw`\d{4}[-/]\d{2}[-/]\d{2}`
export const clock = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9})?`
export const upperLevel =
  'TRACE|DEBUG\\d?|INFO|INFORMATION|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|CRIT|FATAL|SEVERE|ALERT|EMERGENCY|EMERG|PANIC|VERBOSE|FINE|FINER|FINEST|CONFIG|AUDIT'
/** Zones by names that are no words of English: `ART`, `CAT` or `WET` may be what a message begins with. */
const zoneName = 'A[CEKW][SD]T|NZ[SD]T|[CEMP][SD]T|[CE]ES?T|[BHIJK]ST|SAST|MSK|SGT|HKT|PKT|BRT|ICT'
export const zone = String.raw`(?: ?(?:Z\b|[+-]\d{2}:?\d{2}\b|(?=[A-Z]{2,4}[TKC]\b)(?:(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|${zoneName})\b)|[+-]\d{2}\b| [+-](?:0\d|1[0-4])(?= [-\[(<|]|\]| (?:${upperLevel})\b))?`
export const isoTime = `${isoDate}[T_ ]{1,2}${clock}${zone}`
/** A date of which the day or the month comes first. */
export const numericDate = String.raw`(?:\d{1,2}/\d{1,2}/|\d{1,2}-\d{1,2}-)(?:\d{4}|\d{2})(?:,? |,)\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`
/** As Go's standard logger writes it. */
export const slashTime = String.raw`\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,9})?`
export const syslogTime = String.raw`(?:\p{L}{3,6}\.?|\d{1,2}[月월]) {1,2}\d{1,2}(?: \d{4})? \d{2}:\d{2}:\d{2}(?:\.\d+)?(?:(?: (?:UTC|GMT|${zoneName}))? (?:19|20)\d{2}(?= ))?`
export const clfTime = String.raw`\d{1,2}/\p{L}{3,5}\.?/\d{4}[: ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?: (?:[+-]\d{4})?)?`
export const asctime = String.raw`[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}:\d{2}(?:\.\d+)? \d{4}`
export const quoted = String.raw`(?:[^"\\]|\\.)*`
const programWord = String.raw`[^\s:\[\]]{1,255}`
/**
 * What syslog and the journal put before a message. A name of several words is told by the number of its process, or by a version at its end;
 * what macOS puts in parentheses says of which process it speaks.
 */
export const program = String.raw`(?<program>${programWord}(?:\([^)]{0,255}\))?(?=[:\[])|${programWord}(?: ${programWord}){1,2}(?=\[\d+\])|[\w.-]{1,255} \d+(?:\.\d+)+(?=:))(?:\[(?<pid>[^\]]*)\](?: ?\((?<subject>[^)]{0,255})\))?)?`
export const anyLevel = `${upperLevel}|Trace|Debug|Info|Information|Notice|Warn|Warning|Error|Critical|Fatal|trace|debug|info|notice|warn|warning|error|err|critical|crit|fatal|alert|emerg|panic|VRB|DBG|INF|WRN|ERR|FTL|FAIL|SCHWERWIEGEND|WARNUNG|FEHLER|GRAVE|AVERTISSEMENT|INFOS|ADVERTENCIA`

/** A pattern from pieces; what stands between `${}` is taken as it is written. */
export const pattern = (parts: TemplateStringsArray, ...pieces: string[]): RegExp =>
  new RegExp(String.raw({ raw: parts.raw }, ...pieces), 'u')
