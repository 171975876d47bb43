import { baseConfig, ConfigError, read, readConfigs, setting } from '@trellis/kit/config'
import { busOptions, configPart, connectionsConfig, rpcConfig, rpcSecurity } from '@trellis/kit/process'
import { branchConfig } from '@trellis/logs'

const serveConfig = {
  ...rpcConfig,
  rpcAddress: setting(
    'RPC_ADDRESS',
    read.text,
    '127.0.0.1:9000',
    'The address for calls of the logs service: host:port or unix:///path.',
  ),
  takesTls: setting(
    'BRANCH_TLS',
    read.flag,
    false,
    'Accepts batches over HTTPS, with the certificate of calls between processes, from senders with a certificate of the same authority.',
  ),
  shutdownSeconds: setting(
    'SHUTDOWN_SECONDS',
    read.integer(0, 600),
    10,
    'Time limit for draining requests at shutdown.',
  ),
}

/** Reads the configuration of a branch. Throws ConfigError. */
export const readAll = (environment: NodeJS.ProcessEnv) =>
  readConfigs(
    { base: baseConfig, branch: branchConfig, serve: serveConfig, connections: connectionsConfig },
    environment,
    ({ branch, serve, connections }) => ({
      slugCheck: () => {
        if (branch.slug === '') throw new ConfigError('BRANCH_SLUG must be set: it is the name of the branch.')
      },
      keyCheck: () => {
        if (branch.key === '' && branch.keyHash === '')
          throw new ConfigError('BRANCH_KEY must be set: senders authenticate with it.')
      },
      security: () => {
        const security = rpcSecurity(serve)
        if (serve.takesTls && !security.tls)
          throw new ConfigError('BRANCH_TLS needs RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE.')
        return security
      },
      // Without NATS the branch publishes no entry counts; everything else works.
      bus: () => (connections.natsServers.length === 0 ? undefined : busOptions(connections)),
    }),
  )

export type Config = ReturnType<typeof readAll>

/** The configuration of a branch, for display. */
export const configParts = ({ base, branch, serve, connections }: Config) => [
  configPart('every process', baseConfig, base),
  configPart('branch', branchConfig, branch),
  configPart('calls between processes', serveConfig, serve),
  configPart('NATS, for publishing entry counts', connectionsConfig, connections),
]
