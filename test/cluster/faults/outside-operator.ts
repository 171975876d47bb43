import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@trellis/distributed/servers'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { root } from '../support/programs.ts'
import type { Testbed } from './testbed.ts'

export type OutsideOperator = AsyncDisposable & {
  /** Sends SIGTERM; resolves to the exit code. */
  end: () => Promise<number>
}

/** Starts another operator for an installation, as a local process with the rights of KUBECONFIG; resolves once it is ready. */
export const startOutsideOperator = async ({ namespace }: Testbed): Promise<OutsideOperator> => {
  const [secret, workers, nats] = [
    await namespace.get('secret/trellis-secrets'),
    await namespace.get('configmap/trellis-workers'),
    await namespace.get('pod/trellis-nats-0'),
  ]
  const secretOf = (key: string) => Buffer.from(secret.data[key], 'base64').toString()
  const directory = await temporaryDirectory()
  const file = join(directory.path, 'workers.json')
  await writeFile(file, workers.data['workers.json'])
  const child = spawn(process.execPath, [join(root, 'operator/src/main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      KUBECONFIG: process.env.KUBECONFIG,
      TRELLIS_WORKERS: file,
      TRELLIS_INSTANCE: 'trellis',
      NATS_URL: `${nats.status.podIP}:4222`,
      NATS_USER: 'operator',
      NATS_PASSWORD: secretOf('nats-operator'),
      NATS_PREFIX: 'trellis',
      RPC_SECRET: secretOf('rpc-secret'),
      RPC_ADDRESS: `127.0.0.1:${await freePort()}`,
      HEALTH_PORT: String(await freePort()),
      METRICS_PORT: '0',
      POD_NAMESPACE: namespace.name,
    },
  })
  const gone = once(child, 'exit').then(([code]) => code as number)
  let output = ''
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  child.stdout.on('data', (text: Buffer) => {
    output += text
    if (output.includes('is ready at')) resolve()
  })
  const early = gone.then((code) => {
    throw new Error(`The operator outside of the cluster ended with ${code}: ${output}`)
  })
  await Promise.race([ready, early])
  early.catch(() => undefined)
  const end = async () => {
    child.kill('SIGTERM')
    return gone
  }
  return {
    end,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await gone
      await directory[Symbol.asyncDispose]()
    },
  }
}
