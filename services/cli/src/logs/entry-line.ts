import type { EntryRest } from '@trellis/protos/edge/client.ts'

/** Characters that a terminal would obey, and those that change the direction of text. Line ends and tabs remain. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text of logs for a terminal: what it would obey is shown as an escape, such as `\x1b`. */
export const harmless = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(obeyed, (character) => {
    const code = character.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
  })

const severityWidth = 'CRITICAL'.length

/**
 * An entry as text: its time in UTC, severity and source, then its message, whose further lines are indented. Without a time, it has that of its arrival
 * after "~".
 */
export const entryLine = ({
  timestamp_iso: time,
  ingest_time: arrival,
  severity,
  source_id: source,
  message,
  text,
}: Pick<EntryRest, 'timestamp_iso' | 'ingest_time' | 'severity' | 'source_id' | 'message' | 'text'>): string => {
  const shownTime = time === null ? `~${arrival}` : ` ${time}`
  const [first, ...further] = (message || text).split('\n')
  const lines = [
    `${shownTime}  ${(severity ?? '').padEnd(severityWidth)}  ${source}  ${first}`,
    ...further.map((line) => `    ${line}`),
  ]
  return harmless(lines.join('\n').trimEnd())
}
