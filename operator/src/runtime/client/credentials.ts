import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Clock } from '../clock.ts'
import { serviceAccountAccess, serviceAccountFolder } from './service-account.ts'

/** TLS settings of connections. */
export type ConnectionSecurity = Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'> & {
  rejectUnauthorized?: boolean
  servername?: string
}

/** What a request currently needs to reach the API server and authenticate. */
export type Access = {
  /** `https://host:port`, optionally with a path. */
  server: string
  headers: Readonly<Record<string, string>>
  security: ConnectionSecurity
  /** An HTTP proxy to go through. */
  proxy: string | undefined
}

/** Reads the current access of a configuration, whose files may have changed since. */
export type AccessReader = () => Promise<Access>

/** The access of one identity, refreshed as its certificates and tokens rotate. */
export type Credentials = {
  access: () => Promise<Access>
  /** Discards the cached configuration; for when the server rejects the token. */
  refresh: () => void
}

/** Cached access older than this, in milliseconds, is read again from files and tokens. */
const freshFor = 5_000

/** Derives the access from a configuration. client-node does the parsing and supports every kind of authentication. */
const readAccess = async (config: KubeConfig): Promise<Access> => {
  const cluster = config.getCurrentCluster()
  if (!cluster) throw new Error('The Kubernetes configuration names no cluster: set a current context.')
  const options: Record<string, unknown> = {}
  await config.applyToHTTPSOptions(options)
  const dispatcher = config.createDispatcherOptions(cluster, options)
  if (dispatcher.type === 'socks') throw new Error('A SOCKS proxy to the API server is not supported; use an HTTP one.')
  const basic = typeof options.auth === 'string' ? Buffer.from(options.auth).toString('base64') : undefined
  return {
    server: cluster.server.replace(/\/+$/, ''),
    headers: {
      ...(basic ? { authorization: `Basic ${basic}` } : {}),
      ...Object.fromEntries(
        Object.entries((options.headers ?? {}) as Record<string, string>).map(([name, value]) => [
          name.toLowerCase(),
          value.trim(),
        ]),
      ),
    },
    security: (dispatcher.type === 'proxy'
      ? dispatcher.requestTls
      : dispatcher.type === 'agent'
        ? dispatcher.connect
        : {}) as ConnectionSecurity,
    proxy: dispatcher.type === 'proxy' ? dispatcher.uri : undefined,
  }
}

/**
 * Caches the access of a configuration. Certificates and tokens in files are read again every few seconds, everything
 * else after `refresh`, which reloads the configuration.
 */
export const createCredentials = (load: () => Promise<AccessReader>, clock: Clock): Credentials => {
  let loaded: Promise<AccessReader> | undefined
  let known: { access: Promise<Access>; at: number } | undefined
  const read = async () => {
    loaded ??= load()
    return (await loaded)()
  }
  const refresh = () => {
    loaded = undefined
    known = undefined
  }
  return {
    access: async () => {
      if (!known || clock.monotonic() - known.at > freshFor) known = { access: read(), at: clock.monotonic() }
      try {
        return await known.access
      } catch (error) {
        refresh()
        throw error
      }
    },
    refresh,
  }
}

/**
 * Source of the configuration: this text or file, otherwise the defaults: the KUBECONFIG file, the one in the home
 * directory, the service account of the pod. The last is read without the library where `environment` is passed.
 */
export type ConfigSource = {
  kubeconfig?: string
  file?: string
  /** The environment of this process. */
  environment?: NodeJS.ProcessEnv
  /** The folder of the pod's service account, which tests replace. */
  serviceAccount?: string
}

const hasDefaultFile = ({ KUBECONFIG }: NodeJS.ProcessEnv): boolean =>
  Boolean(KUBECONFIG) || existsSync(join(homedir(), '.kube', 'config'))

/** Loads a configuration. The library is large, so it is imported only if the configuration is a file. */
export const loadConfig = async ({
  kubeconfig,
  file,
  environment = {},
  serviceAccount = serviceAccountFolder,
}: ConfigSource = {}): Promise<AccessReader> => {
  if (kubeconfig === undefined && file === undefined && !hasDefaultFile(environment)) {
    const read = serviceAccountAccess(environment, serviceAccount)
    if (read) return read
  }
  const { KubeConfig } = await import('./kube-config.ts')
  const config = new KubeConfig()
  if (kubeconfig !== undefined) config.loadFromString(kubeconfig)
  else if (file !== undefined) config.loadFromFile(file)
  else config.loadFromDefault()
  return () => readAccess(config)
}
