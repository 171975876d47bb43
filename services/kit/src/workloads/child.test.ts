import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryDirectory } from '@trellis/test/support/temporary-directory'
import { expect, test } from 'vitest'
import { type Child, type ChildExit, startChild, type WorkerKind } from './child.ts'

/** Starts a worker with this text as its module, and waits until it is ready. `exited` resolves when it ends. */
const startWorker = async (text: string, module?: URL) => {
  const directory = await temporaryDirectory()
  const path = join(directory.path, 'worker.mjs')
  await writeFile(path, text)
  const kind: WorkerKind = {
    module: module ?? pathToFileURL(path),
    environment: {},
    concurrency: 1,
    warm: 0,
    idleMilliseconds: 60_000,
    runsPerWorker: 1,
    memoryMegabytes: 64,
    residentMegabytes: 512,
  }
  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<ChildExit>()
  const child: Child = startChild(kind, { onMessage: () => ready.resolve(), onExit: exited.resolve })
  await Promise.race([ready.promise, exited.promise])
  return { child, exited: exited.promise, [Symbol.asyncDispose]: directory[Symbol.asyncDispose] }
}

const idle = `process.on('disconnect', () => process.exit(0))
process.send({ kind: 'ready' })
`

test('a worker exits with code 0 on request, and its exit is reported', async () => {
  await using worker = await startWorker(idle)
  worker.child.end()
  expect(await worker.exited).toMatchObject({ code: 0, signal: null })
})

test('a worker that ignores the request to end is killed and reported', async () => {
  await using worker = await startWorker(`setInterval(() => undefined, 1_000)\nprocess.send({ kind: 'ready' })\n`)
  worker.child.end()
  expect(await worker.exited).toMatchObject({ code: null, signal: 'SIGKILL' })
})

test('a worker with a lost channel is killed when work is sent to it', async () => {
  await using worker = await startWorker(`process.send({ kind: 'ready' })
process.on('message', () => undefined)
process.disconnect()
setInterval(() => undefined, 1_000)
`)
  worker.child.send({ kind: 'work', runId: 'run-1', input: new Uint8Array() })
  worker.child.send({ kind: 'work', runId: 'run-1', input: new Uint8Array() })
  expect(await worker.exited).toMatchObject({ signal: 'SIGKILL' })
})

test('a crashed worker is reported with the end of its stderr', async () => {
  await using worker = await startWorker(`throw new Error('out of paper')`)
  const { code, lastWords } = await worker.exited
  expect(code).toBe(1)
  expect(lastWords).toContain('out of paper')
})

test('the exit of a worker is reported even while a process that it started holds its stderr open', async () => {
  await using worker = await startWorker(`import { spawn } from 'node:child_process'
spawn('sleep', ['5'], { stdio: ['ignore', 'ignore', 'inherit'], detached: true }).unref()
process.on('disconnect', () => process.exit(3))
process.send({ kind: 'ready' })
`)
  worker.child.end()
  expect(await worker.exited).toMatchObject({ code: 3 })
})
