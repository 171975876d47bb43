import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'

/** The server's certificate is not the pinned one. */
export class WrongCertificate extends Error {
  override name = 'WrongCertificate'
}

/**
 * Connects to servers with an accepted certificate: from a public authority (empty), with this SHA-256 fingerprint (upper case, colons
 * between the bytes), or `any`. With a fingerprint, the names and dates of the certificate are not checked.
 */
export const connectWith = (certificate: string, options: buildConnector.BuildOptions): buildConnector.connector => {
  if (certificate === '') return buildConnector(options)
  // No TLS session resumption, so that the server presents its certificate on each connection.
  const connect = buildConnector({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 })
  if (certificate === 'any') return connect
  return (target, done) =>
    connect(target, (...[error, socket]) => {
      if (error) return done(error, null)
      if (!(socket instanceof TLSSocket)) return done(null, socket)
      const fingerprint = socket.getPeerCertificate().fingerprint256
      if (fingerprint === certificate) return done(null, socket)
      socket.destroy()
      return done(
        new WrongCertificate(
          `The server has a certificate with the fingerprint ${fingerprint}, which is not the pinned one.`,
        ),
        null,
      )
    })
}
