import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { addAbortListener } from '@trellis/kit/lifecycle'

/** How a command ended: its code, or null where a signal ended it; and the last that it said on standard error. */
export type CommandEnd = { code: number | null; complaint: string }

/** A program that runs, here or on a remote host. */
export type RunningCommand = {
  /** Standard output. A reader that stops early ends the command. */
  output: AsyncIterable<Buffer>
  /** Rejects where it is not known how it ended: the way to it broke, or it could not be started. */
  ended: Promise<CommandEnd>
}

/** Runs a program with arguments, never through a shell of ours. Ends it when the signal aborts. */
export type RunCommand = (words: readonly string[], signal: AbortSignal) => Promise<RunningCommand>

export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const maxComplaintCharacters = 2_000
const killMilliseconds = 5_000

/** Keeps the end of what is said, which has the reason. */
export const keepComplaint = (stream: NodeJS.ReadableStream): (() => string) => {
  let said = ''
  stream.on('data', (bytes: Buffer) => {
    said = (said + bytes.toString('utf8')).slice(-maxComplaintCharacters)
  })
  return () => said.trim()
}

/**
 * What programs see of an environment: no secret of this process. What they say is in English, since some of it is read.
 * The folders of programs are those of this process.
 */
const environment = (): Record<string, string> => ({
  // biome-ignore lint/style/noProcessEnv: it is no setting: where the system has its programs
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
})

/** A program of this machine. */
export const runLocally: RunCommand = async ([program = '', ...words], signal) => {
  signal.throwIfAborted()
  const child = spawn(program, words, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const complaint = keepComplaint(child.stderr)
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    killing ??= setTimeout(() => child.kill('SIGKILL'), killMilliseconds).unref()
  }
  const unlink = addAbortListener(signal, stop)
  const ended = once(child, 'close').then(
    ([code]: (number | null)[]) => ({ code: code ?? null, complaint: complaint() }),
    (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'ENOENT' ? 'it is not installed' : (cause.code ?? cause.message)
      throw new CommandFailed(`${program} cannot be run: ${reason}.`, { cause })
    },
  )
  ended
    .catch(() => undefined)
    .finally(() => {
      unlink()
      clearTimeout(killing)
    })
  async function* output() {
    try {
      yield* child.stdout as AsyncIterable<Buffer>
    } finally {
      stop()
    }
  }
  return { output: output(), ended }
}

/** All that a command says, up to a limit. Throws CommandFailed for more, or for a code that is not 0. */
export const outputOf = async (
  run: RunCommand,
  words: readonly string[],
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<Buffer> => {
  const { output, ended } = await run(words, signal)
  const parts: Buffer[] = []
  let size = 0
  for await (const part of output) {
    size += part.length
    if (size > maxBytes) throw new CommandFailed(`${words[0]} says more than ${maxBytes} bytes.`)
    parts.push(part)
  }
  const { code, complaint } = await ended
  if (code !== 0) throw new CommandFailed(`${words[0]} ended with ${code ?? 'a signal'}: ${complaint || 'no word why'}`)
  return Buffer.concat(parts)
}
