import { stopSignal } from '@trellis/kit/lifecycle'
import type { Command, Surroundings } from './command.ts'
import { hasCode } from './explained.ts'
import { CommandFailure } from './failure.ts'
import { searchCommand } from './listings/search.ts'

/** All commands, by their words. Those with large dependencies are loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  'listings search': async () => searchCommand,
  'listings mcp': async () => (await import('./mcp/serve.ts')).mcpCommand,
  'logs search': async () => (await import('./logs/search.ts')).searchCommand,
  'logs tail': async () => (await import('./logs/tail.ts')).tailCommand,
  'logs diagnose': async () => (await import('./logs/diagnose.ts')).diagnoseCommand,
  'logs send': async () => (await import('./logs/send.ts')).sendCommand,
  'music continue': async () => (await import('./music/continue.ts')).continueCommand,
  'music stems': async () => (await import('./music/stems.ts')).stemsCommand,
  'music analyse': async () => (await import('./music/analyse.ts')).analyseCommand,
}

const usage = async (): Promise<string> => {
  const lines = ['Usage: trellis COMMAND', '']
  for (const [words, load] of Object.entries(commands)) {
    const { usage: shown, purpose } = await load()
    lines.push(`  trellis ${words} ${shown}`, `      ${purpose}`)
  }
  return [
    ...lines,
    '',
    'TRELLIS_URL names the server for all commands of listings and logs. "trellis COMMAND --help" explains those of logs and music.',
  ].join('\n')
}

/** The help for a command, if it has its own. */
const helpFor = async (name: string): Promise<string> => {
  const command = await commands[name]?.()
  return command?.help === undefined ? usage() : `Usage: trellis ${name} ${command.usage}\n\n${command.help}`
}

const stopping = new AbortController()
void stopSignal().then(() => stopping.abort())

/** The exit code once output can no longer be written: a reader that ends early wants no more of it. */
let unwritten: 0 | 1 | undefined
process.stdout.on('error', (error) => {
  if (unwritten !== undefined) return
  unwritten = hasCode(error, 'EPIPE') ? 0 : 1
  if (unwritten === 1) {
    surroundings.note(`The output could not be written: ${error.message}.`)
    process.exitCode = 1
  }
  stopping.abort()
})
// Without a reader of notes, the work goes on.
process.stderr.on('error', () => undefined)

const isWatched = process.stderr.isTTY
/** Deletes the line that shows progress. */
const clearLine = isWatched ? '\r\u001b[K' : ''

const surroundings: Surroundings = {
  environment: process.env,
  signal: stopping.signal,
  result: (text) => {
    process.stderr.write(clearLine)
    process.stdout.write(`${text}\n`)
  },
  note: (text) => void process.stderr.write(`${clearLine}${text}\n`),
  progress: (text) => void (isWatched && process.stderr.write(`${clearLine}${text} ...`)),
}

const run = async (words: readonly string[]): Promise<void> => {
  const name = words.slice(0, 2).join(' ')
  const load = commands[name]
  if (words.length === 0 || words.includes('--help')) return surroundings.result(await helpFor(name))
  if (load === undefined) throw new CommandFailure(`"${words.join(' ')}" is not a command.\n\n${await usage()}`, 2)
  const command = await load()
  await command.run(words.slice(2), surroundings)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  // What the command had started has been ended by now.
  process.stderr.write(clearLine)
  if (stopping.signal.aborted) process.exit(unwritten ?? 130)
  if (!(error instanceof CommandFailure)) throw error
  surroundings.note(error.message)
  process.exitCode = error.code
}
