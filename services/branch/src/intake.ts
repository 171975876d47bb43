import { createHash } from 'node:crypto'
import { createEdge, type Edge, edgeConfig } from '@trellis/edge'
import { readConfig } from '@trellis/kit/config'
import { isSameSecret } from '@trellis/kit/credentials'
import { connectInProcess, type TlsFiles } from '@trellis/kit/rpc'
import type { Log, Metrics } from '@trellis/kit/telemetry'
import type { BranchConfig, BranchNode } from '@trellis/logs'
import { type Route, routes } from '@trellis/protos/edge/routes.ts'
import { LogsServiceDefinition } from '@trellis/protos/ts/trellis/logs/v1/logs.ts'

export type IntakeOptions = {
  node: Pick<BranchNode, 'gleanBatch'>
  config: BranchConfig
  shutdownSeconds: number
  /** Its certificate, where it takes batches over HTTPS. */
  tls?: (() => TlsFiles) | undefined
  log: Log
  metrics: Metrics
}

/** The route of the logs service, without its mount. */
const batchRoute = (): Route => {
  const known = routes.find(({ service, rpc }) => service === LogsServiceDefinition.fullName && rpc === 'gleanBatch')
  if (!known) throw new TypeError('The logs service has no route for batches.')
  return { ...known, path: known.path.replace(/^\/logs/, '') }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** `POST /api/glean/batch` with the code, limits and answers of the logs service, `/health` and `/ready`; nothing else, and with the branch's key alone. */
export const createIntake = ({ node, config, shutdownSeconds, tls, log, metrics }: IntakeOptions): Promise<Edge> => {
  const { fullName, methods } = LogsServiceDefinition
  const definition = { ...LogsServiceDefinition, methods: { gleanBatch: methods.gleanBatch } }
  const { key, keyHash } = config
  return createEdge({
    // Settings of the installation's edge, keys among them, are not a branch's.
    config: {
      ...readConfig(edgeConfig, {}),
      // Senders reach it by whatever name leads here, and the edge passes on for all of its callers: the key decides.
      hosts: ['*'],
      requestsPerMinute: 0,
      failedCredentialsPerMinute: 0,
      shutdownSeconds,
      branchKey: key,
    },
    ...(keyHash !== '' && { isBranchKey: (given: string) => isSameSecret(sha256(given), keyHash) }),
    routes: [batchRoute()],
    backends: [
      {
        name: fullName,
        mount: '/api',
        heartbeat: '',
        client: connectInProcess(definition, { gleanBatch: node.gleanBatch }) as never,
      },
    ],
    missing: () => ({}),
    tls,
    log,
    metrics,
  })
}
