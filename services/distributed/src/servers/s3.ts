import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findExecutable } from './find-executable.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** A running S3 store, and the settings of its clients. */
export type S3Server = ServerProcess & {
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Finds the program of the S3 store (versitygw, which stores objects as files). Throws ExecutableMissing. */
export const findS3Server = (environment: NodeJS.ProcessEnv): string =>
  findExecutable('versitygw', { variable: 'VERSITYGW_BIN', environment })

/** Starts an S3 store on loopback with one bucket in a folder; acknowledged writes survive its process. */
export const startS3Server = async ({
  executable,
  directory,
  bucket = 'trellis',
}: {
  executable: string
  directory: string
  bucket?: string
}): Promise<S3Server> => {
  // A bucket is a folder; the store has no other content.
  await mkdir(join(directory, 'buckets', bucket), { recursive: true })
  const port = await freePort()
  const accessKeyId = 'trellis'
  // Generated at each start: stored data does not depend on it, and it need not be stored.
  const secretAccessKey = randomBytes(24).toString('hex')
  const region = 'us-east-1'
  const server = await startServerProcess({
    name: 'versitygw',
    command: executable,
    args: ['--port', `127.0.0.1:${port}`, '--region', region, '--quiet', 'posix', join(directory, 'buckets')],
    environment: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    port,
  })
  return { ...server, endpoint: `http://127.0.0.1:${port}`, bucket, region, accessKeyId, secretAccessKey }
}
