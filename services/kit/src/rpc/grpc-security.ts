import {
  type ChannelCredentials,
  experimental,
  Metadata,
  type ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js'
import { isSameSecret } from '../credentials/mod.ts'
import { isLocalAddress } from './grpc-target.ts'

/** PEM files. They are reloaded when they change, so that certificates can be renewed without a restart. */
export type RpcTls = {
  certificateFile: string
  keyFile: string
  /** The certificate authority of both ends. */
  authorityFile: string
  /** Names (common name or DNS) of certificates whose holders may set the caller. */
  callers: readonly string[]
  /** The name that a service's certificate must have, where it is called at IP addresses; otherwise its host name is checked. */
  serverName?: string | undefined
}

/**
 * How services authenticate each other. With secrets a call must carry one of them (clients send the first,
 * so that a secret can be rotated); with TLS both ends must present a certificate; with both, both apply.
 */
export type RpcSecurity = { secrets?: readonly string[]; tls?: RpcTls | undefined }

/** A service would be open to everyone. The message is for the user who started it. */
export class InsecureListener extends Error {
  override name = 'InsecureListener'
}

export const callerKey = 'x-trellis-caller-bin'
export const peerKey = 'x-trellis-peer'
export const clientKey = 'x-trellis-client'
const secretKey = 'x-trellis-secret'
const refreshMilliseconds = 60_000

const provider = ({ certificateFile, keyFile, authorityFile }: RpcTls) =>
  new experimental.FileWatcherCertificateProvider({
    certificateFile,
    privateKeyFile: keyFile,
    caCertificateFile: authorityFile,
    refreshIntervalMs: refreshMilliseconds,
  })

export const serverCredentials = ({ tls }: RpcSecurity): ServerCredentials | undefined => {
  if (!tls) return undefined
  const files = provider(tls)
  return experimental.createCertificateProviderServerCredentials(files, files, true)
}

export const clientCredentials = ({ tls }: RpcSecurity): ChannelCredentials | undefined => {
  if (!tls) return undefined
  const files = provider(tls)
  return experimental.createCertificateProviderChannelCredentials(files, files)
}

/** The secret as metadata, which a client adds to each call. */
export const secretMetadata = ({ secrets = [] }: RpcSecurity): readonly [string, string][] =>
  secrets[0] === undefined ? [] : [[secretKey, secrets[0]]]

const namesOf = (certificate: { subject?: { CN?: string | string[] }; subjectaltname?: string } | undefined) => [
  ...[certificate?.subject?.CN ?? []].flat(),
  ...(certificate?.subjectaltname ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length)),
]

/** Throws InsecureListener for a service that other machines can reach without authentication. */
export const checkListener = (address: string, { secrets = [], tls }: RpcSecurity): void => {
  if (secrets.length > 0 || tls || isLocalAddress(address)) return
  throw new InsecureListener(
    `Listening on ${address} requires authentication, because services trust the caller that a call names. Set RPC_SECRET, or RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE.`,
  )
}

/**
 * Rejects calls without the secret, and strips the caller from calls whose certificate is not in `callers`,
 * which makes them anonymous. Health checks need no authentication.
 */
export const admission = ({ secrets = [], tls }: RpcSecurity): ServerInterceptor[] => {
  if (secrets.length === 0 && !tls) return []
  const isAllowed = (metadata: Metadata) => {
    const [presented = ''] = metadata.get(secretKey)
    return secrets.some((secret) => isSameSecret(String(presented), secret))
  }
  return [
    (method, call) =>
      new ServerInterceptingCall(call, {
        start: (next) =>
          next({
            onReceiveMetadata: (metadata, pass) => {
              if (method.path.startsWith('/grpc.health.v1.Health/')) return pass(metadata)
              if (secrets.length > 0 && !isAllowed(metadata)) {
                return call.sendStatus({
                  code: status.UNAUTHENTICATED,
                  details: 'The call does not carry the secret of this service.',
                  metadata: new Metadata(),
                })
              }
              const names = secrets.length > 0 ? [] : namesOf(call.getAuthContext().sslPeerCertificate)
              if (tls && secrets.length === 0 && !names.some((name) => tls.callers.includes(name)))
                for (const key of [callerKey, peerKey, clientKey]) metadata.remove(key)
              metadata.remove(secretKey)
              pass(metadata)
            },
          }),
      }),
  ]
}
