import { readFileSync } from 'node:fs'
import type { RpcTls } from './grpc-security.ts'

/** What a certificate's holder shows, its key, and the authority that the other end's must come from; PEM. */
export type TlsFiles = { cert: Buffer; key: Buffer; ca: Buffer }

/** Milliseconds for which files that were read are used, so that a renewed certificate is picked up. */
export const tlsRefreshMilliseconds = 60_000

type Files = Pick<RpcTls, 'certificateFile' | 'keyFile' | 'authorityFile'>

const readFiles = ({ certificateFile, keyFile, authorityFile }: Files): TlsFiles => ({
  cert: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  ca: readFileSync(authorityFile),
})

/** Reads the files of a certificate, again when what was read is a minute old. Throws where they cannot be read the first time. */
export const createTlsFiles = (files: Files, now: () => number = () => performance.now()): (() => TlsFiles) => {
  let held = readFiles(files)
  let readAt = now()
  return () => {
    if (now() - readAt < tlsRefreshMilliseconds) return held
    readAt = now()
    try {
      held = readFiles(files)
    } catch {
      // They are being replaced: the next reading finds them.
    }
    return held
  }
}
