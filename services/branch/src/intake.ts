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
  /** The certificate, to accept batches over HTTPS. */
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

/** Serves `POST /api/glean/batch` as the logs service does, but with the branch's key only, and `/health` and `/ready`. */
export const createIntake = ({ node, config, shutdownSeconds, tls, log, metrics }: IntakeOptions): Promise<Edge> => {
  const { fullName, methods } = LogsServiceDefinition
  const definition = { ...LogsServiceDefinition, methods: { gleanBatch: methods.gleanBatch } }
  const { key, keyHash } = config
  return createEdge({
    // The settings of the installation's edge, its keys included, do not apply to a branch.
    config: {
      ...readConfig(edgeConfig, {}),
      // Senders use arbitrary names, and the edge forwards for all its clients, so only the key is checked.
      hosts: ['*'],
      requestsPerMinute: 0,
      failedCredentialsPerMinute: 0,
      shutdownSeconds,
      branchKey: key,
    },
    ...(keyHash !== '' && { isBranchKey: (presented: string) => isSameSecret(sha256(presented), keyHash) }),
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
