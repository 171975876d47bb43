import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { form, startTrellis, type Trellis } from '../support/trellis.ts'
import { openFaultControl } from './control.ts'

/** The Node option that preloads an injector for paths under `root`, controlled through `socket`. */
const injectorOption = (root: string, socket: string): string => {
  const module = new URL('injector.ts', import.meta.url)
  module.searchParams.set('root', root)
  module.searchParams.set('socket', socket)
  return `--import ${module.href}`
}

/** Small segments, so that a few thousand lines are flushed and compacted, and a generator without a model. */
const settings = {
  LOGS_SEGMENT_ENTRIES: '1000',
  MUSIC_GENERATOR_MOCK: '1',
  RATE_LIMIT: '0',
  RATE_LIMIT_SEARCHES: '0',
  RATE_LIMIT_GENERATIONS: '0',
  RATE_LIMIT_EXPORTS: '0',
}

/** The program name of the main process in points. */
export const mainProgram = { embedded: 'all-in-one', distributed: 'distributed' }[form]

/**
 * Starts Trellis in the form of the run, with an injector in each of its processes and threads. On the distributed form each service has
 * one replica, so that a point identifies one process, which the launcher restarts.
 */
export const startFaulty = async (environment: Record<string, string> = {}) => {
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(await temporaryDirectory())
  const dataDirectory = join(path, 'data')
  await mkdir(dataDirectory)
  const control = opened.use(await openFaultControl(path))
  const start = () =>
    startTrellis(
      {
        ...settings,
        ...environment,
        TRELLIS_REPLICAS: '1',
        NODE_OPTIONS: injectorOption(dataDirectory, control.socketPath),
      },
      { dataDirectory },
    )
  let trellis: Trellis = await start()
  opened.defer(() => trellis[Symbol.asyncDispose]())
  const stack = opened.move()
  return {
    control,
    dataDirectory,
    get origin() {
      return trellis.origin
    },
    get isAlive() {
      return trellis.process.exitCode === null && trellis.process.signalCode === null
    },
    /** Resolves when the main process has exited, or after these milliseconds. */
    untilExit: async (milliseconds: number): Promise<void> => {
      if (trellis.process.exitCode !== null || trellis.process.signalCode !== null) return
      await once(trellis.process, 'exit', { signal: AbortSignal.timeout(milliseconds) }).catch(() => undefined)
    },
    output: () => trellis.output(),
    /** Kills the main process if it is still running, and starts it again on the same data. */
    restart: async () => {
      await trellis.stop('SIGKILL')
      await trellis[Symbol.asyncDispose]()
      trellis = await start()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
export type FaultyInstallation = Awaited<ReturnType<typeof startFaulty>>
