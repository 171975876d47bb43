import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describeExit, type Supervised, supervise as superviseProcess } from '@trellis/kit/supervision'

/** A Trellis process: a module, its environment, and its ports. */
export type ProcessSpec = {
  /** The name in the output, such as `logs-1`. */
  name: string
  module: URL
  words?: readonly string[]
  environment: Record<string, string>
  /** Ports reserved for it, released when it starts. */
  reserved?: readonly AsyncDisposable[]
}

type PrintLine = (name: string, line: string) => void

const spawnProcess = (
  { name, module, words = [], environment }: ProcessSpec,
  { printLine, onReady }: { printLine: PrintLine; onReady: () => void },
) => {
  const child = spawn(process.execPath, [module.pathname, ...words], {
    env: environment,
    // The process detects the end of its launcher by the end of its standard input.
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that Ctrl-C at the terminal reaches only the launcher, which shuts all processes down.
    detached: true,
  })
  printLine(name, `started (pid ${child.pid ?? 'none'}); metrics on port ${environment.METRICS_PORT ?? 'none'}`)
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      printLine(name, line)
      if (/^Trellis .* is ready/.test(line)) onReady()
    })
  }
  return child
}

/** Runs a process, and restarts it whenever it exits after it was ready. */
export const supervise = async (spec: ProcessSpec, printLine: PrintLine): Promise<Supervised> => {
  const { name, reserved = [] } = spec
  await Promise.all(reserved.map((port) => port[Symbol.asyncDispose]()))
  const supervised: Supervised = superviseProcess({
    spawn: () => spawnProcess(spec, { printLine, onReady: () => supervised.markReady() }),
    onRestart: (exit) => printLine(name, `${describeExit(exit)}; restarting`),
  })
  const ready = supervised.ready.catch((cause: Error) => {
    throw new Error(`${name} ${cause.message} before it was ready.`, { cause })
  })
  ready.catch(() => undefined)
  return { ...supervised, ready }
}

/** Runs a process to its end. Throws an error with its output if it fails. */
export const runOnce = async ({ name, module, words = [], environment }: ProcessSpec): Promise<void> => {
  const child = spawn(process.execPath, [module.pathname, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (code !== 0) throw new Error(`${name} ${describeExit({ code, signal })}:\n${output}`)
}
