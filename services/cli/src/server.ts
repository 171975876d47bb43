import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from './client.ts'
import type { Surroundings } from './command.ts'
import { CommandFailure } from './failure.ts'

const installation = fileURLToPath(new URL('../../all-in-one/src/main.ts', import.meta.url))

/** Where `npm start` listens. */
const usual = 'http://127.0.0.1:8080'
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

/** Starts an installation in a temporary directory, which is deleted with it. */
const startTemporary = async (
  environment: Surroundings['environment'],
): Promise<AsyncDisposable & { client: Client }> => {
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
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  opened.defer(async () => {
    child.kill('SIGTERM')
    const killing = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds)
    await ended
    clearTimeout(killing)
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000)
  })
  const origin = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => reject(new CommandFailure(`Trellis could not be started: ${reason}`))
    const late = setTimeout(() => fail('it was not ready within a minute.'), startMilliseconds)
    child.once('error', ({ message }) => fail(message))
    child.once('exit', () => fail(complaint.trim() || 'it ended.'))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [url] = /http:\/\/\S+:\d+/.exec(line) ?? []
      if (!line.startsWith('Trellis is ready') || url === undefined) return
      clearTimeout(late)
      resolve(url.replace('localhost', '127.0.0.1'))
    })
  })
  const stack = opened.move()
  return { client: createClient(origin), [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/**
 * Connects to the named server (of the option, else of TRELLIS_URL), or else to the one that runs on this machine, or else starts one that
 * ends with the command, and notes that.
 */
export const openServer = async (
  option: string | undefined,
  { environment, note }: Pick<Surroundings, 'environment' | 'note'>,
): Promise<AsyncDisposable & { client: Client }> => {
  const named = option ?? environment.TRELLIS_URL
  const nothing = async () => undefined
  if (named !== undefined) {
    if (!URL.canParse(named) || !/^https?:$/.test(new URL(named).protocol))
      throw new CommandFailure(`"${named}" is not the address of a server, such as ${usual}.`, 2)
    return { client: createClient(new URL(named).href), [Symbol.asyncDispose]: nothing }
  }
  if (await answers(usual)) return { client: createClient(usual), [Symbol.asyncDispose]: nothing }
  note('No Trellis runs on this machine: starting one for this command.')
  return startTemporary(environment)
}
