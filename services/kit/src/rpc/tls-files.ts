import { readFileSync } from 'node:fs'
import type { RpcTls } from './grpc-security.ts'

/** A certificate, its key, and the certificate authority of the other end, as PEM. */
export type TlsFiles = { cert: Buffer; key: Buffer; ca: Buffer }

/** How long files are cached, in milliseconds, before a renewed certificate is picked up. */
export const tlsRefreshMilliseconds = 60_000

type Files = Pick<RpcTls, 'certificateFile' | 'keyFile' | 'authorityFile'>

const readFiles = ({ certificateFile, keyFile, authorityFile }: Files): TlsFiles => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  ca: readFileSync(authorityFile),
})

/** Reads the files of a certificate, and reloads them when they are a minute old. Throws if the first read fails. */
export const createTlsFiles = (files: Files, now: () => number = () => performance.now()): (() => TlsFiles) => {
  let held = readFiles(files)
  let readAt = now()
  return () => {
    if (now() - readAt < tlsRefreshMilliseconds) return held
    readAt = now()
    try {
      held = readFiles(files)
    } catch {
      // The files are being replaced; the next reload finds them.
    }
    return held
  }
}
