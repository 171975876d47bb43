import { spawn } from 'node:child_process'
import { waitFor } from '@trellis/test/support/wait-for'
import { expect, test } from 'vitest'
import { describeExit, type Exit, isReadyMessage, type Supervised, supervise } from './mod.ts'

/** Supervises a Node process that runs a script with a channel to this one. */
const run = (script: string, options: { restartsUnready?: boolean; isFailure?: (exit: Exit) => boolean } = {}) => {
  const restarts: { how: string; pause: number }[] = []
  const pids: (number | undefined)[] = []
  const supervised: Supervised = supervise({
    ...options,
    spawn: () => {
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
      pids.push(child.pid)
      child.on('message', (message) => isReadyMessage(message) && supervised.markReady())
      return child
    },
    onRestart: (exit, pause) => restarts.push({ how: describeExit(exit), pause }),
  })
  return { supervised, restarts, pids }
}
const ready = `process.send({ kind: 'process-ready' })`

test('a process that crashes is restarted after growing pauses', async () => {
  const { supervised, restarts, pids } = run(`${ready}; setTimeout(() => process.exit(3), 50)`)
  await supervised.ready
  await waitFor(() => expect(pids.length).toBeGreaterThanOrEqual(3))
  await supervised.stop()
  expect(restarts.slice(0, 2)).toEqual([
    { how: 'ended with code 3', pause: 200 },
    { how: 'ended with code 3', pause: 400 },
  ])
})

test('a process that is killed is restarted', async () => {
  const { supervised, restarts, pids } = run(`${ready}; setInterval(() => undefined, 1000)`)
  await supervised.ready
  process.kill(supervised.pid() ?? 0, 'SIGKILL')
  await waitFor(() => expect(pids.length).toBe(2))
  expect(restarts).toEqual([{ how: 'was ended by SIGKILL', pause: 200 }])
  await supervised.stop()
  expect(supervised.pid()).toBeUndefined()
})

test('an exit that is not a failure is final', async () => {
  const { supervised, restarts } = run(`${ready}; setTimeout(() => process.exit(0), 50)`, {
    isFailure: ({ code }) => code !== 0,
  })
  expect(await supervised.ended).toEqual({ code: 0, signal: null })
  expect(restarts).toEqual([])
})

test('a process that ends before it is ready is not restarted, unless that is configured', async () => {
  const once = run('process.exit(1)')
  await expect(once.supervised.ready).rejects.toThrow('ended with code 1')
  expect(await once.supervised.ended).toEqual({ code: 1, signal: null })
  const again = run('process.exit(1)', { restartsUnready: true })
  await waitFor(() => expect(again.pids.length).toBeGreaterThanOrEqual(2))
  await again.supervised.stop()
})

test('a missing program is reported like an exit', async () => {
  const supervised = supervise({ spawn: () => spawn('/nowhere/program'), onRestart: () => undefined })
  await expect(supervised.ready).rejects.toThrow(/could not be started: .*ENOENT/)
})
