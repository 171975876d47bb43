import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** A Node process that a test started. Disposal ends it with SIGTERM. */
export type NodeProcess = AsyncDisposable & {
  child: ChildProcess
  /** Its standard output so far, its standard error, and both as they came. */
  output: () => { out: string; error: string; all: string }
  /** The first match of its standard output, once there is one. Rejects with all output if the process ends before. */
  printed: (pattern: RegExp) => Promise<RegExpMatchArray>
  /** The exit code or signal with which it ended. */
  gone: Promise<number | NodeJS.Signals>
  /** The same, once all output was read: its own child processes may hold the pipes for longer. */
  closed: Promise<number | NodeJS.Signals>
  /** Sends a signal, unless it has ended; resolves when it is gone. */
  end: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals>
}

export type NodeProcessOptions = {
  /** Options of Node itself. */
  nodeOptions?: readonly string[]
  words?: readonly string[]
  /** Command with arguments that executes the rest of its arguments. */
  launcher?: readonly string[]
  /** All of its environment. */
  environment: Readonly<Record<string, string | undefined>>
}

/** Starts a program of ours in a Node process. */
export const startNode = (
  program: string,
  { nodeOptions = [], words = [], launcher = [], environment }: NodeProcessOptions,
): NodeProcess => {
  const [command = process.execPath, ...rest] = [...launcher, process.execPath, ...nodeOptions, program, ...words]
  const child = spawn(command, rest, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', error: '', all: '' }
  const read = (stream: Readable, name: 'out' | 'error') =>
    stream.setEncoding('utf8').on('data', (part: string) => {
      text[name] += part
      text.all += part
    })
  read(child.stdout, 'out')
  read(child.stderr, 'error')
  const endOf = ([code, signal]: unknown[]) => (code ?? signal) as number | NodeJS.Signals
  const gone = once(child, 'exit').then(endOf)
  const closed = once(child, 'close').then(endOf)
  const printed = (pattern: RegExp): Promise<RegExpMatchArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = text.out.match(pattern)
        if (!found) return
        child.stdout.off('data', look)
        resolve(found)
      }
      child.stdout.on('data', look)
      look()
      void closed.then((end) => reject(new Error(`${program} ended with ${end}:\n${text.all}`)))
    })
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return gone
  }
  return {
    child,
    output: () => text,
    printed,
    gone,
    closed,
    end,
    [Symbol.asyncDispose]: async () => {
      await end()
    },
  }
}
