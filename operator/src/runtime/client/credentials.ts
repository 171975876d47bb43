import type { SecureContextOptions } from 'node:tls'
import type { KubeConfig } from '@kubernetes/client-node'
import type { Clock } from '../clock.ts'

/** How connections are secured. */
export type ConnectionSecurity = Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'> & {
  rejectUnauthorized?: boolean
  servername?: string
}

/** What a request needs at this moment to reach the API server and be known there. */
export type Access = {
  /** `https://host:port`, maybe with a path. */
  server: string
  headers: Readonly<Record<string, string>>
  security: ConnectionSecurity
  /** An HTTP proxy to go through. */
  proxy: string | undefined
}

/** The access of one identity, kept fresh. */
export type Credentials = {
  access: () => Promise<Access>
  /** Reads everything again; for when the server does not know the token any more. */
  refresh: () => void
}

/** Files and tokens are looked at again when what is known of them is older than this, in milliseconds. */
const freshFor = 5_000

/** The access that a configuration gives. client-node does the reading and knows every kind of sign-in. */
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
 * Keeps the access of a configuration. Certificates and tokens in files are read again every few seconds, everything else
 * after `refresh`, which loads the configuration anew.
 */
export const createCredentials = (load: () => Promise<KubeConfig>, clock: Clock): Credentials => {
  let config: Promise<KubeConfig> | undefined
  let known: { access: Promise<Access>; at: number } | undefined
  const read = async () => {
    config ??= load()
    return readAccess(await config)
  }
  const refresh = () => {
    config = undefined
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

/** Where the configuration is: inside a pod, in the file that KUBECONFIG names, in the home folder; or in this text. */
export type ConfigSource = { kubeconfig?: string; file?: string }

/** Loads a configuration. The library is large, so that it is loaded with the first. */
export const loadConfig = async ({ kubeconfig, file }: ConfigSource = {}): Promise<KubeConfig> => {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (kubeconfig !== undefined) config.loadFromString(kubeconfig)
  else if (file !== undefined) config.loadFromFile(file)
  else config.loadFromDefault()
  return config
}
