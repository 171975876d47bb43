import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { asStarted } from './as-started.ts'
import { modulePath } from './module-path.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import { programVariables } from './programs.ts'
import { canShare } from './shared/fetch-shared.ts'
import { openSharedDatabases } from './shared-databases.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** One process on files, or separate processes for each service on real servers; TRELLIS_FORM of the test run selects one. */
const forms = {
  embedded: 'services/all-in-one/src/main.ts',
  distributed: 'services/distributed/src/main.ts',
}
export type Form = keyof typeof forms
export const form: Form = process.env.TRELLIS_FORM === 'distributed' ? 'distributed' : 'embedded'

export type Trellis = AsyncDisposable & {
  origin: string
  /** The origins of all edges; the first is `origin`. */
  origins: string[]
  dataDirectory: string
  process: ChildProcess
  /** Its output so far. */
  output: () => string
  /** Ends it with a signal and returns the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** A random base below the ephemeral ports. Distinct for installations, because two that search for a free port at once could pick the same. */
const branchBasePort = (): string => String(10_000 + 100 * randomInt(200))

const originsOf = async (started: NodeProcess): Promise<string[]> => {
  const [line] = await started.printed(/^Trellis is ready: .*http:.*\n/m)
  return (line.match(/http:\/\/[a-z0-9.]+:\d+/g) ?? []).map((origin) => origin.replace('localhost', '127.0.0.1'))
}

export type TrellisOptions = {
  dataDirectory?: string
  form?: Form
  /** Whether it starts its own Postgres, which can be stopped and stores its data in the directory; true by default with a `dataDirectory`. */
  ownServers?: boolean
  /** The file of the program to start; that of the form by default. */
  program?: string
}

/** Starts Trellis as a process on a free port, in a new data directory unless one is passed. */
export const startTrellis = async (
  environment: Record<string, string> = {},
  { dataDirectory, form: ofForm = form, ownServers = dataDirectory !== undefined, program }: TrellisOptions = {},
): Promise<Trellis> => {
  const stack = new AsyncDisposableStack()
  const directory = dataDirectory ?? stack.use(await temporaryDirectory()).path
  const postgres =
    ofForm === 'distributed' && !ownServers && canShare() ? stack.use(await openSharedDatabases()) : undefined
  const started = startNode(program ?? (await modulePath(forms[ofForm])), {
    environment: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...asStarted,
      ...programVariables,
      PORT: '0',
      METRICS_PORT: '0',
      BRANCH_BASE_PORT: branchBasePort(),
      LOG_LEVEL: 'warn',
      TRELLIS_DATA_DIR: directory,
      ...(postgres && { DATABASE_URL: await postgres.createDatabase() }),
      ...environment,
    },
  })
  const output = () => started.output().all
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const end = await started.end(signal)
    return typeof end === 'number' ? end : null
  }
  stack.defer(async () => {
    // A killed launcher would leave its servers running for the next launcher.
    await stop(ofForm === 'distributed' ? 'SIGTERM' : 'SIGKILL')
  })
  try {
    const origins = await originsOf(started)
    return {
      origin: origins[0] ?? '',
      origins,
      dataDirectory: directory,
      process: started.child,
      output,
      stop,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
