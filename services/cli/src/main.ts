import { stopSignal } from '@trellis/kit/lifecycle'
import type { Command, Surroundings } from './command.ts'
import { CommandFailure } from './failure.ts'
import { searchCommand } from './listings/search.ts'

/** All commands, by their words. Those with large dependencies are loaded when they are called. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  'listings search': async () => searchCommand,
  'listings mcp': async () => (await import('./mcp/serve.ts')).mcpCommand,
}

const usage = async (): Promise<string> => {
  const lines = ['Usage: trellis COMMAND', '']
  for (const [words, load] of Object.entries(commands)) {
    const { usage: shown, purpose } = await load()
    lines.push(`  trellis ${words} ${shown}`, `      ${purpose}`)
  }
  return [...lines, '', 'TRELLIS_URL names the server for all commands.'].join('\n')
}

const stopping = new AbortController()
void stopSignal().then(() => stopping.abort())

const surroundings: Surroundings = {
  environment: process.env,
  signal: stopping.signal,
  result: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
}

const run = async (words: readonly string[]): Promise<void> => {
  const name = words.slice(0, 2).join(' ')
  const load = commands[name]
  if (words.length === 0 || words.includes('--help')) return surroundings.result(await usage())
  if (load === undefined) throw new CommandFailure(`"${words.join(' ')}" is not a command.\n\n${await usage()}`, 2)
  const command = await load()
  await command.run(words.slice(2), surroundings)
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  // What the command had started has been ended by now.
  if (stopping.signal.aborted) process.exit(130)
  if (!(error instanceof CommandFailure)) throw error
  surroundings.note(error.message)
  process.exitCode = error.code
}
