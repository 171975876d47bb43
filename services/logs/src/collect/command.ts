import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter } from 'node:path'
import { addAbortListener } from '@trellis/kit/lifecycle'
import { itemsUnlessSilent, unlessSilent } from './unless-silent.ts'

/** How a command ended: its exit code, null after a signal; and the end of its standard error. */
export type CommandEnd = { code: number | null; stderr: string }

/** A running program, on this machine or on a remote host. */
export type RunningCommand = {
  /** Standard output. A reader that stops early ends the command. */
  output: AsyncIterable<Buffer>
  /** Rejects if the result is unknown: the connection to it was lost, or it could not be started. */
  ended: Promise<CommandEnd>
}

/** Runs a program with arguments, never through a local shell. Ends it when the signal aborts. */
export type RunCommand = (words: readonly string[], signal: AbortSignal) => Promise<RunningCommand>

export class CommandFailed extends Error {
  override name = 'CommandFailed'
}

const maxStderrCharacters = 2_000
const killMilliseconds = 5_000

/** Retains the end of the output, which contains the reason of a failure. */
export const captureStderr = (stream: NodeJS.ReadableStream): (() => string) => {
  let text = ''
  stream.on('data', (bytes: Buffer) => {
    text = (text + bytes.toString('utf8')).slice(-maxStderrCharacters)
  })
  return () => text.trim()
}

/** The search path of programs: that of this process. */
const searchPath = (): string =>
  // biome-ignore lint/style/noProcessEnv: the search path of the system is not a setting
  process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'

/** The folders in which programs are found. */
export const programFolders = (): string[] =>
  searchPath()
    .split(delimiter)
    .filter((folder) => folder !== '')

/** The environment of programs, without the secrets of this process. Output is in English, since some of it is parsed. */
const environment = (): Record<string, string> => ({
  PATH: searchPath(),
  LC_ALL: 'C.UTF-8',
})

/** Runs a program on this machine. */
export const runLocally: RunCommand = async ([program = '', ...words], signal) => {
  signal.throwIfAborted()
  const child = spawn(program, words, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const stderr = captureStderr(child.stderr)
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    killing ??= setTimeout(() => child.kill('SIGKILL'), killMilliseconds).unref()
  }
  const unlink = addAbortListener(signal, stop)
  const ended = once(child, 'close').then(
    ([code]: (number | null)[]) => ({ code: code ?? null, stderr: stderr() }),
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

/** Ends a program that is silent for this time, and throws CommandFailed then: a run would wait for it forever. */
export const limitSilence =
  (run: RunCommand, milliseconds: number): RunCommand =>
  async (words, signal) => {
    const stopping = new AbortController()
    const { output, ended } = await run(words, AbortSignal.any([signal, stopping.signal]))
    const stop = () => {
      stopping.abort()
      return new CommandFailed(`${words[0]} has not responded for ${Math.ceil(milliseconds / 1_000)} s.`)
    }
    const isRead = Promise.withResolvers<void>()
    async function* read() {
      try {
        yield* itemsUnlessSilent(output, milliseconds, stop)
      } finally {
        isRead.resolve()
      }
    }
    const limited = isRead.promise.then(() => unlessSilent(ended, milliseconds, stop))
    limited.catch(() => undefined)
    return { output: read(), ended: limited }
  }

/** The whole output of a command, up to a limit. Throws CommandFailed for more output, or for a non-zero exit code; the signal's reason when it aborts. */
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
    if (size > maxBytes) throw new CommandFailed(`${words[0]} has more than ${maxBytes} bytes of output.`)
    parts.push(part)
  }
  const { code, stderr } = await ended
  if (code === 0) return Buffer.concat(parts)
  // A command that was stopped may have ended before the signal is noticed elsewhere.
  signal.throwIfAborted()
  throw new CommandFailed(`${words[0]} ended with ${code ?? 'a signal'}: ${stderr || 'no error message'}`)
}
