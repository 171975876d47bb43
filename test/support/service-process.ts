import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { asStarted } from './as-started.ts'
import { modulePath } from './module-path.ts'

/** One of our processes, which a test can end with any signal. */
export type ServiceProcess = AsyncDisposable & {
  /** Ends it with a signal and waits until it is gone. */
  end: (signal: NodeJS.Signals) => Promise<void>
}

const maxLines = 200

/** Runs a module of this repository and waits until it reports ready. If it ends before, the error contains its output. */
export const startServiceProcess = async (
  module: string,
  environment: Record<string, string>,
  words: readonly string[] = [],
): Promise<ServiceProcess> => {
  const pathname = await modulePath(module)
  const child = spawn(process.execPath, [pathname, ...words], {
    env: { ...asStarted, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const gone = once(child, 'exit')
  const output: string[] = []
  const ready = Promise.withResolvers<void>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (output.push(line) > maxLines) output.shift()
      if (/^Trellis .* is ready/.test(line)) ready.resolve()
    })
  }
  void gone.then(([code]) =>
    code === 0 && words.length > 0
      ? ready.resolve()
      : ready.reject(new Error(`${module} ended with ${code}:\n${output.join('\n')}`)),
  )
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
  }
  await ready.promise
  return { end, [Symbol.asyncDispose]: () => end('SIGTERM') }
}
