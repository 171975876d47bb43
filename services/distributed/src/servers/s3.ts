import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setBucketPolicy } from '@trellis/kit/files'
import { audioWorkerPolicy } from './audio-worker-policy.ts'
import { findExecutable } from './find-executable.ts'
import { freePort } from './ports.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** A running S3 store, and the settings of its clients. */
export type S3Server = ServerProcess &
  S3Keys & {
    endpoint: string
    bucket: string
    region: string
    /** Keys of audio workers: they read below `music/`, write nodes and downloads there, and delete nothing. */
    workers: S3Keys
  }

type S3Keys = { accessKeyId: string; secretAccessKey: string }

/** Finds the program of the S3 store (versitygw, which stores objects as files). Throws ExecutableMissing. */
export const findS3Server = (environment: NodeJS.ProcessEnv): string =>
  findExecutable('versitygw', { variable: 'VERSITYGW_BIN', environment })

/** Keys that are generated at each start: stored data does not depend on them, and they need not be stored. */
const newKeys = (accessKeyId: string): S3Keys => ({
  accessKeyId,
  secretAccessKey: randomBytes(24).toString('hex'),
})

/** Writes the accounts of the store beside that of its owner, who may do everything. */
const writeAccounts = async (directory: string, { accessKeyId: access, secretAccessKey: secret }: S3Keys) => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const account = { access, secret, role: 'user', userID: 0, groupID: 0, projectID: 0 }
  const text = JSON.stringify({ accessAccounts: { [access]: account } })
  await writeFile(join(directory, 'users.json'), text, { mode: 0o600 })
}

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
  const owner = newKeys('trellis')
  const workers = newKeys('trellis-audio')
  const accounts = resolve(directory, 'accounts')
  await writeAccounts(accounts, workers)
  const region = 'us-east-1'
  const server = await startServerProcess({
    name: 'versitygw',
    command: executable,
    args: [
      ...['--port', `127.0.0.1:${port}`, '--region', region, '--iam-dir', accounts, '--quiet'],
      ...['posix', join(directory, 'buckets')],
    ],
    environment: { ROOT_ACCESS_KEY: owner.accessKeyId, ROOT_SECRET_KEY: owner.secretAccessKey },
    port,
  })
  const store = { endpoint: `http://127.0.0.1:${port}`, bucket, region, ...owner }
  try {
    await setBucketPolicy({ kind: 's3', ...store }, audioWorkerPolicy({ bucket, accessKeyId: workers.accessKeyId }))
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  return { ...server, ...store, workers }
}
