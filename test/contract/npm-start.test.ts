import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { waitFor } from '../support/wait-for.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const isUp = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

const endGroup = (leader: number | undefined) => {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // The whole group has ended already.
  }
}

test('SIGTERM to "npm start" ends all processes that it started', async () => {
  await using directory = await temporaryDirectory()
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn', TRELLIS_DATA_DIR: directory.path },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A separate process group, which is killed as a whole if the test fails.
    detached: true,
  })
  using group = new DisposableStack()
  group.defer(() => endGroup(npm.pid))
  const origin = await new Promise<string>((resolve, reject) => {
    let text = ''
    npm.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const [found] = /http:\/\/[a-z0-9.]+:\d+/.exec(text) ?? []
      if (found) resolve(found.replace('localhost', '127.0.0.1'))
    })
    npm.once('exit', (code) => reject(new Error(`npm ended with ${code} before Trellis was ready:\n${text}`)))
  })
  expect(await isUp(origin)).toBe(true)
  npm.kill('SIGTERM')
  await waitFor(async () => expect(await isUp(origin)).toBe(false), { interval: 200 })
})
