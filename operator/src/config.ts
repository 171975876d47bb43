import { baseConfig, ConfigError, read, type readConfig, readConfigs, setting } from '@trellis/kit/config'
import { busOptions, configPart, connectionsConfig, printConfig, rpcConfig, rpcSecurity } from '@trellis/kit/process'

/** What the operator is told beside what every process is. */
export const operatorConfig = {
  namespace: setting('POD_NAMESPACE', read.text, 'default', 'The namespace of the installation, where its Lease is.'),
  watchNamespaces: setting(
    'WATCH_NAMESPACES',
    read.list,
    [],
    'Namespaces beside its own whose objects are acted on, commas between.',
  ),
  instance: setting('TRELLIS_INSTANCE', read.text, 'trellis', 'Name of the installation, as a label of what it makes.'),
  workersFile: setting(
    'TRELLIS_WORKERS',
    read.optional(read.text),
    undefined,
    'A file of JSON that says what workers and branches are made from: image, command, resources.',
  ),
  edgeUrl: setting('EDGE_URL', read.url, 'http://localhost:8080', 'Where people reach the installation.'),
  runTtlSeconds: setting(
    'RUN_TTL_SECONDS',
    read.integer(0, 31_536_000),
    3_600,
    'For how long a run that a service asked for stays after it has ended.',
  ),
  maxRuns: setting('MAXIMUM_RUNS', read.integer(1, 10_000), 100, 'Runs of a kind that may have workers at a time.'),
  maxQueued: setting(
    'MAXIMUM_QUEUED_RUNS',
    read.integer(0, 100_000),
    1_000,
    'Runs of a kind that may wait, past which services are refused.',
  ),
  searchUsers: setting(
    'SEARCH_USERS',
    read.list,
    [],
    'Accounts that Searches which people apply may act for, commas between; * for all. Without one: none.',
  ),
  branchStorageClass: setting(
    'BRANCH_STORAGE_CLASS',
    read.optional(read.text),
    undefined,
    "The storage class of the volumes of new branches; the cluster's default unless told.",
  ),
  healthPort: setting('HEALTH_PORT', read.port, 8081, 'The port of /healthz and /readyz.'),
  rpcAddress: setting('RPC_ADDRESS', read.text, '127.0.0.1:9000', 'Where calls of services are taken: host:port.'),
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    read.integer(0, 600),
    20,
    'How long what is under way may take at the end.',
  ),
}

export type OperatorSettings = ReturnType<typeof readConfig<typeof operatorConfig>>

/** All that the operator is told, with what is wrong with it said before anything is waited for. Throws ConfigFailure. */
export const readOperatorConfig = (environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, connections: connectionsConfig, rpc: rpcConfig, own: operatorConfig },
    environment,
    ({ connections, rpc, own }) => ({
      workersFile: () => {
        if (own.workersFile !== undefined) return own.workersFile
        throw new ConfigError(
          'TRELLIS_WORKERS must be set: without it no worker can be made. The chart writes that file.',
        )
      },
      namespaces: () => [...new Set([own.namespace, ...own.watchNamespaces])],
      bus: () => busOptions(connections),
      security: () => rpcSecurity(rpc),
    }),
  )

export type OperatorConfig = ReturnType<typeof readOperatorConfig>

/** What is in force, for a person (`--print-config`). */
export const printOperatorConfig = ({ base, connections, rpc, own }: OperatorConfig): string =>
  printConfig([
    configPart('every process', baseConfig, base),
    configPart('the servers it stands on', connectionsConfig, connections),
    configPart('calls between processes', rpcConfig, rpc),
    configPart('operator', operatorConfig, own),
  ])
