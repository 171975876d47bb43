import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Log } from '@trellis/kit/telemetry'
import type { BranchNotice } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { FromBranch } from '../messages.ts'

const module = fileURLToPath(new URL('../main.ts', import.meta.url))

export type BranchProcessOptions = {
  slug: string
  environment: Record<string, string>
  onNotice: (notice: BranchNotice) => void
  /** What it writes, line by line. */
  onLine: (line: string) => void
  log: Log
}

/** A branch that is kept running: started again whenever it ends by itself. */
export type BranchProcess = {
  /** Where it is searched; undefined while it does not run. */
  rpcAddress: () => string | undefined
  /** Resolves when it takes entries. Rejects with what it said last when it ended before that for the first time, or was stopped. */
  ready: Promise<void>
  /** Ends it in order; after the grace it is killed. */
  stop: () => Promise<void>
}

const firstPauseMilliseconds = 200
const longestPauseMilliseconds = 5_000
const healthyMilliseconds = 10_000
const graceMilliseconds = 15_000

export const startBranchProcess = (options: BranchProcessOptions): BranchProcess => {
  const { slug, environment, onNotice, onLine, log } = options
  const { promise: ready, resolve: isReady, reject: isLost } = Promise.withResolvers<void>()
  ready.catch(() => undefined)
  let child: ChildProcess | undefined
  let gone: Promise<unknown> = Promise.resolve()
  let rpcAddress: string | undefined
  let timer: NodeJS.Timeout | undefined
  let pause = firstPauseMilliseconds
  let isEnding = false

  const start = () => {
    const startedAt = performance.now()
    let lastLine = ''
    const started = fork(module, [], {
      env: environment,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // The end of its standard input tells it that whoever started it is gone.
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    log.info({ branch: slug, pid: started.pid, port: environment.PORT }, 'a branch runs')
    for (const input of [started.stdout, started.stderr]) {
      if (!input) continue
      createInterface({ input }).on('line', (line) => {
        lastLine = line
        // That it is ready it says over the channel, too.
        if (!line.startsWith('Trellis branch ')) onLine(line)
      })
    }
    started.on('message', (message) => {
      const told = message as FromBranch
      if (told.kind === 'notice') return onNotice(told.notice)
      rpcAddress = told.rpcAddress
      isReady()
    })
    started.on('error', () => undefined)
    gone = once(started, 'close').then(([code, signal]) => {
      rpcAddress = undefined
      isLost(new Error(lastLine || `Branch "${slug}" ended with ${String(signal ?? code)}.`))
      if (isEnding) return
      if (performance.now() - startedAt > healthyMilliseconds) pause = firstPauseMilliseconds
      log.warn({ branch: slug, code, signal, pause }, 'a branch ended; it is started again')
      timer = setTimeout(start, pause)
      pause = Math.min(pause * 2, longestPauseMilliseconds)
    })
  }
  start()
  return {
    rpcAddress: () => rpcAddress,
    ready,
    stop: async () => {
      isEnding = true
      clearTimeout(timer)
      child?.kill('SIGTERM')
      const killing = setTimeout(() => child?.kill('SIGKILL'), graceMilliseconds)
      await gone
      clearTimeout(killing)
    },
  }
}
