import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describeExit, type Supervised, supervise as superviseProcess } from '@trellis/kit/process'

/** One process of ours: a module, its environment, and its ports. */
export type ProcessSpec = {
  /** `logs-1`: names it in what is shown. */
  name: string
  module: URL
  words?: readonly string[]
  environment: Record<string, string>
  /** Ports that are reserved for it until it starts. */
  reserved?: readonly AsyncDisposable[]
}

type PrintLine = (name: string, line: string) => void

const spawnProcess = (
  { name, module, words = [], environment }: ProcessSpec,
  { printLine, onReady }: { printLine: PrintLine; onReady: () => void },
) => {
  const child = spawn(process.execPath, [module.pathname, ...words], {
    env: environment,
    // The end of its standard input tells a process that its launcher is gone.
    stdio: ['pipe', 'pipe', 'pipe'],
    // In a group of its own, so that Ctrl-C at the terminal reaches the launcher alone, which ends all in order.
    detached: true,
  })
  printLine(name, `runs (process ${child.pid ?? 'none'}); metrics on port ${environment.METRICS_PORT ?? 'none'}`)
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      printLine(name, line)
      if (/^Trellis .* is ready/.test(line)) onReady()
    })
  }
  return child
}

/** Runs a process, and starts it again whenever it ends by itself once it was ready. */
export const supervise = async (spec: ProcessSpec, printLine: PrintLine): Promise<Supervised> => {
  const { name, reserved = [] } = spec
  await Promise.all(reserved.map((port) => port[Symbol.asyncDispose]()))
  const supervised: Supervised = superviseProcess({
    spawn: () => spawnProcess(spec, { printLine, onReady: () => supervised.markReady() }),
    onRestart: (exit) => printLine(name, `${describeExit(exit)}; it is started again`),
  })
  const ready = supervised.ready.catch((cause: Error) => {
    throw new Error(`${name} ${cause.message} before it was ready.`, { cause })
  })
  ready.catch(() => undefined)
  return { ...supervised, ready }
}

/** Runs a process to its end. Throws what it said when that was no success. */
export const runOnce = async ({ name, module, words = [], environment }: ProcessSpec): Promise<void> => {
  const child = spawn(process.execPath, [module.pathname, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code !== 0) throw new Error(`${name} ${describeExit({ code, signal })}:\n${said}`)
}
