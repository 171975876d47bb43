import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@trellis/distributed/servers'
import { startNode } from '../../support/node-process.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { root } from '../support/programs.ts'
import type { Testbed } from './testbed.ts'

export type OutsideOperator = AsyncDisposable & {
  /** Sends SIGTERM; resolves to the exit code. */
  end: () => Promise<number | NodeJS.Signals>
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
  const operator = startNode(join(root, 'operator/src/main.ts'), {
    environment: {
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
  await operator.printed(/is ready at/)
  return {
    end: operator.end,
    [Symbol.asyncDispose]: async () => {
      await operator.end('SIGKILL')
      await directory[Symbol.asyncDispose]()
    },
  }
}
