import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'

/** What is said of a server whose certificate is not the pinned one. */
export class WrongCertificate extends Error {
  override name = 'WrongCertificate'
}

/**
 * Connects with servers whose certificate is taken: one of a public authority (empty), the one with this SHA-256 fingerprint (upper case, colons
 * between the bytes), or `any`. A fingerprint stands for the certificate itself: its names and dates do not matter then.
 */
export const connectWith = (certificate: string, options: buildConnector.BuildOptions): buildConnector.connector => {
  if (certificate === '') return buildConnector(options)
  // Without sessions of before, so that each connection shows its certificate.
  const connect = buildConnector({ ...options, rejectUnauthorized: false, maxCachedSessions: 0 })
  if (certificate === 'any') return connect
  return (target, done) =>
    connect(target, (...[error, socket]) => {
      if (error) return done(error, null)
      if (!(socket instanceof TLSSocket)) return done(null, socket)
      const shown = socket.getPeerCertificate().fingerprint256
      if (shown === certificate) return done(null, socket)
      socket.destroy()
      return done(
        new WrongCertificate(`The server shows a certificate with the fingerprint ${shown}, not the pinned one.`),
        null,
      )
    })
}
