import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  ExecutableMissing,
  findNatsServer,
  findS3Server,
  startNatsServer,
  startS3Server,
} from '@trellis/distributed/servers'
import { type FilesLocation, openFiles } from '@trellis/kit/files'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { median, round } from './machine.ts'

const MEBIBYTE = 2 ** 20
const turns = 15
const longMebibytes = 300

const timed = async (task: () => Promise<unknown>): Promise<number> => {
  const before = performance.now()
  await task()
  return performance.now() - before
}

const drain = async (parts: AsyncIterable<Uint8Array>) => {
  for await (const _ of parts);
}

const measure = async (name: string, location: FilesLocation): Promise<string> => {
  await using files = await openFiles(location)
  const content = randomBytes(8 * MEBIBYTE)
  const times: Record<'write' | 'read' | 'range', number[]> = { write: [], read: [], range: [] }
  for (let turn = 0; turn < turns; turn++) {
    times.write.push(await timed(() => files.write('a', content)))
    times.read.push(await timed(() => drain(files.read('a'))))
    const start = (turn * 523_456) % (7 * MEBIBYTE)
    times.range.push(await timed(() => files.readRange('a', { start, end: start + 65_536 })))
  }
  const before = process.memoryUsage().rss
  let highest = before
  async function* long() {
    for (let i = 0; i < longMebibytes; i++) {
      highest = Math.max(highest, process.memoryUsage().rss)
      yield randomBytes(MEBIBYTE)
    }
  }
  await files.write('long', long())
  for await (const _ of files.read('long')) highest = Math.max(highest, process.memoryUsage().rss)
  const { write, read, range } = times
  const figures = [write, read, range].map((values) => `${round(median(values), 1)} ms`)
  const growth = round((highest - before) / MEBIBYTE)
  return `${name}: write of 8 MiB ${figures[0]}, read ${figures[1]}, range of 64 KiB ${figures[2]}; ${longMebibytes} MiB written and read with ${growth} MiB more memory`
}

const onS3 = async (directory: string): Promise<string> => {
  await using server = await startS3Server({ executable: findS3Server(process.env), directory })
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = server
  return await measure('S3 (versitygw)', { kind: 's3', endpoint, region, bucket, accessKeyId, secretAccessKey })
}

const onNats = async (directory: string): Promise<string> => {
  await using server = await startNatsServer({ command: findNatsServer(process.env), directory })
  return await measure('NATS', { kind: 'nats', servers: [server.address], bucket: 'bench' })
}

const orMissing = async (task: Promise<string>): Promise<string> => {
  try {
    return await task
  } catch (error) {
    if (error instanceof ExecutableMissing) return `not measured: ${error.message}`
    throw error
  }
}

/** Measures files on each kind of store over loopback: medians of 15 turns. */
export const benchFiles = async (): Promise<string[]> => {
  await using directory = await temporaryDirectory()
  const at = (name: string) => join(directory.path, name)
  return [
    await measure('a directory', { kind: 'directory', path: at('directory') }),
    await orMissing(onS3(at('s3'))),
    await orMissing(onNats(at('nats'))),
  ]
}
