import { createLog, type Log } from '@trellis/kit/telemetry'

/** A log line: its message and its fields. */
export type LogLine = { msg: string; [field: string]: unknown }

/** A log at level `info` whose lines a test can read. */
export const recordLog = (): { log: Log; lines: (message: string) => LogLine[] } => {
  const written: LogLine[] = []
  const write = (text: string) => {
    for (const line of text.split('\n')) if (line !== '') written.push(JSON.parse(line) as LogLine)
  }
  return {
    log: createLog({ level: 'info', format: 'json', destination: { write } }),
    lines: (message) => written.filter(({ msg }) => msg === message),
  }
}
