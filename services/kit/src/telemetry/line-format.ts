type Entry = {
  level: string
  time: string
  msg?: string
  part?: string
  err?: { message?: string; stack?: string }
} & Record<string, unknown>

const shown = (value: unknown): string =>
  typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)

/** Formats a JSON log entry as a readable line: `12:30:44 info  logs  segment sealed  lines=131072`. */
export const lineFormat = (text: string): string => {
  const { level, time, msg = '', part = '', err, ...rest } = JSON.parse(text) as Entry
  const details = Object.entries(rest).map(([name, value]) => `${name}=${shown(value)}`)
  const head = [time.slice(11, 19), level.padEnd(5), part.padEnd(8), msg].join('  ')
  const failure = err ? `\n  ${err.stack ?? err.message ?? ''}` : ''
  return `${[head, ...details].join('  ').trimEnd()}${failure}\n`
}
