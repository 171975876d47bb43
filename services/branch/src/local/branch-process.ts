import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Supervised, supervise } from '@trellis/kit/supervision'
import type { Log } from '@trellis/kit/telemetry'
import type { BranchEvent } from '@trellis/protos/ts/trellis/workloads/v1/branches.ts'
import type { FromBranch } from '../messages.ts'

const module = fileURLToPath(new URL('../main.ts', import.meta.url))

export type BranchProcessOptions = {
  slug: string
  environment: Record<string, string>
  onEvent: (event: BranchEvent) => void
  /** Receives its output, line by line. */
  onLine: (line: string) => void
  log: Log
}

/** A supervised branch, which is restarted whenever it exits. */
export type BranchProcess = {
  /** The address for searches; undefined while it does not run. */
  rpcAddress: () => string | undefined
  /** Resolves when it accepts entries. Rejects with its last line of output when it exits or is stopped before. */
  ready: Promise<void>
  /** Ends it gracefully; kills it after the grace period. */
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
      // It detects the end of its parent by the end of its standard input.
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    })
    log.info({ branch: slug, pid: started.pid, port: environment.PORT }, 'branch: process started')
    for (const input of [started.stdout, started.stderr]) {
      if (!input) continue
      createInterface({ input }).on('line', (line) => {
        lastLine = line
        // The ready line is skipped, because readiness is also reported over the channel.
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
      log.warn({ branch: slug, code, signal, pause }, 'branch: process exited, restarting'),
  })
  const ready = supervised.ready.catch((cause: Error) => {
    throw new Error(lastLine || `Branch "${slug}" ${cause.message}.`, { cause })
  })
  ready.catch(() => undefined)
  return { rpcAddress: () => rpcAddress, ready, stop: supervised.stop }
}
