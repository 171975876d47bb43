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

/** Files in PEM form. They are read again when they change, so certificates can be renewed under a running process. */
export type RpcTls = {
  certificateFile: string
  keyFile: string
  /** The authority that both ends' certificates must come from. */
  authorityFile: string
  /** Names (common name or DNS) of the certificates whose holders may say on whose behalf they call. */
  callers: readonly string[]
  /** The name that a service's certificate must have, where it is called at IP addresses; else its host name counts. */
  serverName?: string | undefined
}

/**
 * What makes a service believe whoever calls it. With secrets a call must carry one of them (the first is the one that
 * is sent: that is how to change it); with TLS both ends must show a certificate; with both, both.
 */
export type RpcSecurity = { secrets?: readonly string[]; tls?: RpcTls | undefined }

/** A service would be open to anybody. The message is for the person who started it. */
export class InsecureListener extends Error {
  override name = 'InsecureListener'
}

export const callerKey = 'x-trellis-caller-bin'
export const peerKey = 'x-trellis-peer'
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

/** What a client adds to each call so that it is believed. */
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

/** Throws InsecureListener where anybody could reach a service that nobody has to prove anything to. */
export const checkListener = (address: string, { secrets = [], tls }: RpcSecurity): void => {
  if (secrets.length > 0 || tls || isLocalAddress(address)) return
  throw new InsecureListener(
    `Services believe who they are called for, so ${address} may not be listened on without RPC_SECRET or RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE.`,
  )
}

/**
 * Refuses calls without the secret, and lets nobody but the named certificates' holders say on whose behalf they call:
 * from others a call comes as anonymous. Questions after the health of a service are open to all.
 */
export const admission = ({ secrets = [], tls }: RpcSecurity): ServerInterceptor[] => {
  if (secrets.length === 0 && !tls) return []
  const isAllowed = (metadata: Metadata) => {
    const [given = ''] = metadata.get(secretKey)
    return secrets.some((secret) => isSameSecret(String(given), secret))
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
                  details: 'This service is not open to whoever called it.',
                  metadata: new Metadata(),
                })
              }
              const names = secrets.length > 0 ? [] : namesOf(call.getAuthContext().sslPeerCertificate)
              if (tls && secrets.length === 0 && !names.some((name) => tls.callers.includes(name)))
                for (const key of [callerKey, peerKey]) metadata.remove(key)
              metadata.remove(secretKey)
              pass(metadata)
            },
          }),
      }),
  ]
}
