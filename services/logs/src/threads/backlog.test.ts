import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { countingOff, createBacklog, handOver, waitingIn } from './backlog.ts'

test('a batch is in the backlog until it is kept, or is not', async () => {
  const backlog = createBacklog()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const keep = countingOff(backlog, async (fails: boolean) => {
    await mayEnd
    if (fails) throw new Error('The disk is full.')
    return 'kept'
  })
  handOver(backlog)
  handOver(backlog)
  const kept = Promise.allSettled([keep(false), keep(true)])
  expect(waitingIn(backlog)).toBe(2)
  end()
  expect(await kept).toMatchObject([{ value: 'kept' }, { reason: new Error('The disk is full.') }])
  expect(waitingIn(backlog)).toBe(0)
})

test('a thread that reads no messages sees what another has kept', async () => {
  const backlog = createBacklog()
  handOver(backlog)
  const module = new URL('./backlog.ts', import.meta.url).href
  // Ends as soon as the backlog is empty, and hears nothing meanwhile.
  const thread = new Worker(
    `const { workerData } = require('node:worker_threads')
     import(${JSON.stringify(module)}).then(({ waitingIn }) => { while (waitingIn(workerData) > 0); })`,
    { eval: true, workerData: backlog },
  )
  const ended = new Promise<number>((resolve) => thread.on('exit', resolve))
  await countingOff(backlog, async () => undefined)()
  expect(await ended).toBe(0)
})
