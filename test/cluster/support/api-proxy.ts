import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { programs } from './programs.ts'

export type ApiProxy = AsyncDisposable & { origin: string }

/** Serves the cluster's API server over plain HTTP on the loopback interface by `kubectl proxy`, with the rights of KUBECONFIG. */
export const startApiProxy = async (): Promise<ApiProxy> => {
  const child = spawn(programs.kubectl, ['proxy', '--address=127.0.0.1', '--port=0'], {
    // stderr is ignored: kubectl logs every cut connection, and tests cut many.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    return {
      origin: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: async () => {
        child.kill()
        await ended
      },
    }
  }
  throw new Error('kubectl proxy ended before it served anything.')
}
