import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis, type Trellis } from '../support/trellis.ts'
import { openFaultControl } from './control.ts'

const injector = fileURLToPath(new URL('injector.ts', import.meta.url))

/** Small segments, so that a few thousand lines are flushed and compacted; a generator that needs no model. */
const settings = {
  LOGS_SEGMENT_ENTRIES: '1000',
  MUSIC_GENERATOR_MOCK: '1',
  RATE_LIMIT: '0',
  RATE_LIMIT_SEARCHES: '0',
  RATE_LIMIT_GENERATIONS: '0',
  RATE_LIMIT_EXPORTS: '0',
}

/** The program of the main process, as points name it. */
export const mainProgram = 'all-in-one'

/** Trellis as one process on files, with an injector in each of its processes and threads. */
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
        NODE_OPTIONS: `--import ${injector}`,
        TRELLIS_FAULTS_ROOT: dataDirectory,
        TRELLIS_FAULTS_SOCKET: control.socketPath,
      },
      { dataDirectory, form: 'embedded' },
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
    /** Until the main process, which was killed, is gone. */
    ended: async () => {
      if (trellis.process.exitCode === null && trellis.process.signalCode === null) await once(trellis.process, 'exit')
    },
    output: () => trellis.output(),
    /** Starts it again on the same data, after it was killed or by killing it. */
    restart: async () => {
      await trellis.stop('SIGKILL')
      await trellis[Symbol.asyncDispose]()
      trellis = await start()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
export type FaultyInstallation = Awaited<ReturnType<typeof startFaulty>>
