import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Supervised, supervise } from '@trellis/kit/process'
import type { Log } from '@trellis/kit/telemetry'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { FromBranch } from '../messages.ts'

const module = fileURLToPath(new URL('../main.ts', import.meta.url))

export type BranchProcessOptions = {
  slug: string
  environment: Record<string, string>
  onEvent: (event: BranchEvent) => void
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

const graceMilliseconds = 15_000

export const startBranchProcess = (options: BranchProcessOptions): BranchProcess => {
  const { slug, environment, onEvent, onLine, log } = options
  let rpcAddress: string | undefined
  let lastLine = ''

  const spawn = (): ChildProcess => {
    lastLine = ''
    rpcAddress = undefined
    const started = fork(module, [], {
      env: environment,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // The end of its standard input tells it that the process that started it is gone.
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    })
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
      const reported = message as FromBranch
      if (reported.kind === 'notice') onEvent(reported.event)
      if (reported.kind !== 'ready') return
      rpcAddress = reported.rpcAddress
      supervised.markReady()
    })
    started.once('exit', () => {
      rpcAddress = undefined
    })
    return started
  }
  const supervised: Supervised = supervise({
    spawn,
    restartsUnready: true,
    graceMilliseconds,
    onRestart: ({ code, signal }, pause) =>
      log.warn({ branch: slug, code, signal, pause }, 'a branch ended; it is started again'),
  })
  const ready = supervised.ready.catch((cause: Error) => {
    throw new Error(lastLine || `Branch "${slug}" ${cause.message}.`, { cause })
  })
  ready.catch(() => undefined)
  return { rpcAddress: () => rpcAddress, ready, stop: supervised.stop }
}
