import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { asStarted } from '../support/as-started.ts'
import { modulePath } from '../support/module-path.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis } from '../support/trellis.ts'
import { waitFor } from '../support/wait-for.ts'

const NODE_OPTIONS = `--import=${new URL('../support/throw-on-signal.mjs', import.meta.url)}`

const isUp = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

const connectTo = async (origin: string, begin: string) => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined).write(begin)
  return socket
}

/** Opens a request for `/ready` whose headers complete only during shutdown, with an upload in flight. It may then be answered or cut off. */
const openProbe = async (origin: string) => {
  const socket = await connectTo(origin, 'GET /ready HTTP/1.1\r\nHost: localhost\r\n')
  const upload = await connectTo(
    origin,
    'POST /logs/api/ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n',
  )
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  // On a busy machine the process can be gone before its log line is read.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  return {
    finish: async (output: () => string) => {
      await waitFor(() => expect(output()).toContain('uncaught error'), { interval: 5 })
      socket.write('\r\n')
      await closed
      upload.destroy()
      return answer
    },
  }
}

/** The output of a process, and the addresses at which it reported ready, one for each start. */
const outputOf = (child: ChildProcess) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => (text += part))
  const origins = () =>
    [...text.matchAll(/^Trellis \S*\s?is ready: (http:\/\/[a-z0-9.]+:\d+)/gm)].map(([, origin = '']) =>
      origin.replace('localhost', '127.0.0.1'),
    )
  return { text: () => text, origins }
}

/** Starts one of our processes that throws an error on SIGUSR2. */
const start = async (path: string, environment: Record<string, string>) => {
  const child = spawn(process.execPath, [await modulePath(`services/${path}`)], {
    env: {
      PATH: process.env.PATH,
      ...asStarted,
      PORT: '0',
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      NODE_OPTIONS,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Its child processes end with it.
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = outputOf(child)
  const started = (count: number) =>
    waitFor(() => expect(output.origins().length, output.text()).toBe(count), { interval: 50 })
  return { child, started, ...output }
}

/** Pids of the children of a process, from /proc. */
const childrenOf = async (pid: number | undefined): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)

describe('an uncaught error', () => {
  test('the error is logged with its cause, streams end gracefully, and the exit code is 1', async () => {
    await using trellis = await startTrellis({ NODE_OPTIONS, LOG_FORMAT: 'json' })
    const stream = await fetch(`${trellis.origin}/logs/api/tail`)
    const text = stream.text()
    const probe = await openProbe(trellis.origin)
    const exited = once(trellis.process, 'exit')
    trellis.process.kill('SIGUSR2')
    expect(await probe.finish(trellis.output)).toMatch(/^(HTTP\/1\.1 503 |$)/)
    expect((await exited)[0]).toBe(1)
    expect(await text).toMatch(/retry: \d+/)
    const line =
      trellis
        .output()
        .split('\n')
        .find((one) => one.includes('uncaught error')) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      err: { stack: expect.stringContaining('A fault of the test.') },
    })
    expect(line).toContain('Its cause.')
  })

  test('an unhandled rejection also ends a process, such as the edge', async () => {
    const { child, started, text } = await start('edge/src/main.ts', {
      LOGS_ADDRESS: '127.0.0.1:1',
      TEST_FAULT: 'rejection',
    })
    await started(1)
    const exited = once(child, 'exit')
    child.kill('SIGUSR2')
    expect((await exited)[0]).toBe(1)
    expect(text()).toContain('A fault of the test.')
  })
})

describe('"npm start"', () => {
  test('npm start restarts Trellis after a crash with a message, and stops it on SIGTERM', async () => {
    await using directory = await temporaryDirectory()
    const { child, started, origins, text } = await start('all-in-one/src/supervisor/main.ts', {
      TRELLIS_DATA_DIR: directory.path,
    })
    await started(1)
    const [first = 0] = await childrenOf(child.pid)
    process.kill(first, 'SIGUSR2')
    await started(2)
    expect(text()).toMatch(/^Trellis ended with code 1\. It starts again in 0\.2 s\.$/m)
    expect(await isUp(origins()[1] ?? '')).toBe(true)
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await exited)[0]).toBe(0)
    expect(await isUp(origins()[1] ?? '')).toBe(false)
  })

  test('Trellis ends when npm start is killed', async () => {
    await using directory = await temporaryDirectory()
    const { child, started, origins } = await start('all-in-one/src/supervisor/main.ts', {
      TRELLIS_DATA_DIR: directory.path,
    })
    await started(1)
    child.kill('SIGKILL')
    await waitFor(async () => expect(await isUp(origins()[0] ?? '')).toBe(false))
  })

  test('npm start does not restart a process that fails to start', async () => {
    const { child, text } = await start('all-in-one/src/supervisor/main.ts', { PORT: 'http' })
    expect((await once(child, 'exit'))[0]).toBe(1)
    expect(text()).toMatch(/^PORT must be [^\n]*\n$/)
  })
})
