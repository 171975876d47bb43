import { baseConfig, ConfigError, read, type readConfig, readConfigs, setting } from '@trellis/kit/config'
import { busOptions, configPart, connectionsConfig, printConfig, rpcConfig, rpcSecurity } from '@trellis/kit/process'

/** Settings of the operator besides those of every process. */
export const operatorConfig = {
  namespace: setting(
    'POD_NAMESPACE',
    read.text,
    'default',
    'The namespace of the installation, which holds its Lease.',
  ),
  watchNamespaces: setting(
    'WATCH_NAMESPACES',
    read.list,
    [],
    'Further namespaces whose objects the operator acts on, comma-separated.',
  ),
  instance: setting(
    'TRELLIS_INSTANCE',
    read.text,
    'trellis',
    'Name of the installation, used as a label of its objects.',
  ),
  workersFile: setting(
    'TRELLIS_WORKERS',
    read.optional(read.text),
    undefined,
    'A JSON file with the templates of workers and branches: image, command, resources.',
  ),
  edgeUrl: setting('EDGE_URL', read.url, 'http://localhost:8080', 'The URL at which people reach the installation.'),
  runTtlSeconds: setting(
    'RUN_TTL_SECONDS',
    read.integer(0, 31_536_000),
    3_600,
    'Seconds that a run requested by a service is retained after its end.',
  ),
  maxRuns: setting(
    'MAXIMUM_RUNS',
    read.integer(1, 10_000),
    100,
    'Maximum number of runs of a kind with workers at the same time.',
  ),
  maxQueued: setting(
    'MAXIMUM_QUEUED_RUNS',
    read.integer(0, 100_000),
    1_000,
    'Maximum number of queued runs of a kind; further requests of services are rejected.',
  ),
  searchUsers: setting(
    'SEARCH_USERS',
    read.list,
    [],
    'Users that Searches applied by people may act for, comma-separated; * for all. None by default.',
  ),
  branchStorageClass: setting(
    'BRANCH_STORAGE_CLASS',
    read.optional(read.text),
    undefined,
    "The storage class of the volumes of new branches; the cluster's default if unset.",
  ),
  healthPort: setting('HEALTH_PORT', read.port, 8081, 'The port of /healthz and /readyz.'),
  rpcAddress: setting('RPC_ADDRESS', read.text, '127.0.0.1:9000', 'The address for calls of services: host:port.'),
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    read.integer(0, 600),
    20,
    'Seconds that running work may take to finish on shutdown.',
  ),
}

export type OperatorSettings = ReturnType<typeof readConfig<typeof operatorConfig>>

/** Reads all settings, and validates them before anything else starts. Throws ConfigError. */
export const readOperatorConfig = (environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, connections: connectionsConfig, rpc: rpcConfig, own: operatorConfig },
    environment,
    ({ connections, rpc, own }) => ({
      workersFile: () => {
        if (own.workersFile !== undefined) return own.workersFile
        throw new ConfigError(
          'TRELLIS_WORKERS must be set: without it no worker can be created. The chart writes that file.',
        )
      },
      namespaces: () => [...new Set([own.namespace, ...own.watchNamespaces])],
      bus: () => busOptions(connections),
      security: () => rpcSecurity(rpc),
    }),
  )

export type OperatorConfig = ReturnType<typeof readOperatorConfig>

/** Formats the effective settings for a person (`--print-config`). */
export const printOperatorConfig = ({ base, connections, rpc, own }: OperatorConfig): string =>
  printConfig([
    configPart('every process', baseConfig, base),
    configPart('the servers it depends on', connectionsConfig, connections),
    configPart('calls between processes', rpcConfig, rpc),
    configPart('operator', operatorConfig, own),
  ])
