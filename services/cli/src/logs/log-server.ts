import { readFile } from 'node:fs/promises'
import { type Client, createClient } from '../client.ts'
import type { Surroundings } from '../command.ts'
import { explained } from '../explained.ts'
import { CommandFailure } from '../failure.ts'
import { namedServer, usualServer } from '../server.ts'

/** The options of every command of logs. */
export const serverOptions = { server: { type: 'string' }, 'key-file': { type: 'string' } } as const

/** What help says about them. */
export const serverHelp = `  --server URL      the server; default: TRELLIS_URL, or else ${usualServer}
  --key-file FILE   a file with the API key; default: SERVICE_API_KEY_FILE, or else the key in SERVICE_API_KEY`

/** The key of the log service; undefined if none is configured. Throws CommandFailure for a file that cannot be read. */
const keyOf = async (
  file: string | undefined,
  environment: Surroundings['environment'],
): Promise<string | undefined> => {
  const path = file ?? (environment.SERVICE_API_KEY_FILE || undefined)
  const [key, origin] =
    path === undefined
      ? [environment.SERVICE_API_KEY?.trim() || undefined, 'SERVICE_API_KEY']
      : [(await explained(() => readFile(path, 'utf8'))).trim(), `"${path}"`]
  if (key === '' || (key !== undefined && /[^\x21-\x7e]/.test(key)))
    throw new CommandFailure(`${origin} has no key: one line of ASCII characters.`, 2)
  return key
}

/** Connects to the log service of a server. None is started, because it would have no logs. */
export const logServer = async (
  { server, 'key-file': keyFile }: { server?: string | undefined; 'key-file'?: string | undefined },
  { environment, signal }: Pick<Surroundings, 'environment' | 'signal'>,
): Promise<Client> => {
  const origin = namedServer(server, { environment }) ?? usualServer
  // A file is read again for each request: a key may be replaced while a command runs.
  const own = async () => {
    const key = await keyOf(keyFile, environment)
    return key === undefined ? {} : { authorization: `Bearer ${key}` }
  }
  await own()
  return createClient(origin, signal, own)
}
