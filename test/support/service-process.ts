import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { asStarted } from './as-started.ts'
import { modulePath } from './module-path.ts'

/** A process of ours that a test ends as it likes. */
export type ServiceProcess = AsyncDisposable & {
  /** Ends it with a signal and waits until it is gone. */
  end: (signal: NodeJS.Signals) => Promise<void>
}

const maxLines = 200

/** Runs a module of this repository and waits until it says that it is ready; what it said is in the error where it ends before. */
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
  const said: string[] = []
  const ready = Promise.withResolvers<void>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (said.push(line) > maxLines) said.shift()
      if (/^Trellis .* is ready/.test(line)) ready.resolve()
    })
  }
  void gone.then(([code]) =>
    code === 0 && words.length > 0
      ? ready.resolve()
      : ready.reject(new Error(`${module} ended with ${code}:\n${said.join('\n')}`)),
  )
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
  }
  await ready.promise
  return { end, [Symbol.asyncDispose]: () => end('SIGTERM') }
}
