import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from './client.ts'
import type { Surroundings } from './command.ts'
import { CommandFailure } from './failure.ts'

const installation = fileURLToPath(new URL('../../all-in-one/src/main.ts', import.meta.url))

/** Where `npm start` listens. */
export const usualServer = 'http://127.0.0.1:8080'
const checkMilliseconds = 1_000
const startMilliseconds = 60_000
const stopMilliseconds = 10_000

/** Whether a Trellis answers there, and not some other program. */
const answers = async (origin: string): Promise<boolean> => {
  try {
    const response = await fetch(`${origin}/listings/api/health`, { signal: AbortSignal.timeout(checkMilliseconds) })
    return response.ok && ((await response.json()) as { status?: unknown }).status === 'ok'
  } catch {
    return false
  }
}

/** The address that an installation prints when it is ready. Rejects if it ends before, or with the signal. */
const addressOf = async (
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  signal: AbortSignal,
): Promise<string> => {
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000)
  })
  const late = AbortSignal.timeout(startMilliseconds)
  const lines = createInterface({ input: child.stdout, signal: AbortSignal.any([signal, late]) })
  child.once('error', ({ message }) => {
    complaint = message
    lines.close()
  })
  for await (const line of lines) {
    const [url] = line.startsWith('Trellis is ready') ? (/http:\/\/\S+:\d+/.exec(line) ?? []) : []
    if (url !== undefined) return url.replace('localhost', '127.0.0.1')
  }
  signal.throwIfAborted()
  const reason = late.aborted ? 'it was not ready within a minute.' : complaint.trim() || 'it ended.'
  throw new CommandFailure(`Trellis could not be started: ${reason}`)
}

/** Starts an installation in a temporary directory, which is deleted with it. */
const startTemporary = async ({
  environment,
  signal,
}: Pick<Surroundings, 'environment' | 'signal'>): Promise<AsyncDisposable & { client: Client }> => {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'trellis-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', installation], {
    env: {
      ...environment,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      TRELLIS_DATA_DIR: directory,
      // It ends with this process, even if that is killed.
      END_WITH_INPUT: '1',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches this process alone, which then ends the other.
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  opened.defer(async () => {
    child.kill('SIGTERM')
    const killing = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
    await ended
    clearTimeout(killing)
  })
  const origin = await addressOf(child, signal)
  // What it prints later is not read, and must not fill the pipes.
  child.stdout.resume()
  const stack = opened.move()
  return { client: createClient(origin, signal), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** The address of the named server, of the option or else of TRELLIS_URL; undefined if none is named. Throws CommandFailure for one that is no address. */
export const namedServer = (
  option: string | undefined,
  { environment }: Pick<Surroundings, 'environment'>,
): string | undefined => {
  const named = option ?? environment.TRELLIS_URL
  if (named === undefined) return undefined
  if (!URL.canParse(named) || !/^https?:$/.test(new URL(named).protocol))
    throw new CommandFailure(`"${named}" is not the address of a server, such as ${usualServer}.`, 2)
  const url = new URL(named)
  if (url.username !== '' || url.password !== '')
    throw new CommandFailure(
      'The address of a server has no name and password: the key of logs is in SERVICE_API_KEY.',
      2,
    )
  return url.href
}

/**
 * Connects to the named server (of the option, else of TRELLIS_URL), or else to the one that runs on this machine, or else starts one that
 * ends with the command, and notes that.
 */
export const openServer = async (
  option: string | undefined,
  { environment, note, signal }: Pick<Surroundings, 'environment' | 'note' | 'signal'>,
): Promise<AsyncDisposable & { client: Client }> => {
  const named = namedServer(option, { environment })
  const nothing = async () => undefined
  if (named !== undefined) return { client: createClient(named, signal), [Symbol.asyncDispose]: nothing }
  if (await answers(usualServer)) return { client: createClient(usualServer, signal), [Symbol.asyncDispose]: nothing }
  note('No Trellis runs on this machine: starting one for this command.')
  return startTemporary({ environment, signal })
}
