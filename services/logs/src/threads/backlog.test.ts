import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createBacklog, enterBacklog, leavingBacklog, waitingIn } from './backlog.ts'

test('a batch leaves the backlog when it is stored, and also when storing it fails', async () => {
  const backlog = createBacklog()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const store = leavingBacklog(backlog, async (fails: boolean) => {
    await mayEnd
    if (fails) throw new Error('The disk is full.')
    return 'stored'
  })
  enterBacklog(backlog)
  enterBacklog(backlog)
  const stored = Promise.allSettled([store(false), store(true)])
  expect(waitingIn(backlog)).toBe(2)
  end()
  expect(await stored).toMatchObject([{ value: 'stored' }, { reason: new Error('The disk is full.') }])
  expect(waitingIn(backlog)).toBe(0)
})

test('a thread that processes no messages sees that another has stored a batch', async () => {
  const backlog = createBacklog()
  enterBacklog(backlog)
  const module = new URL('./backlog.ts', import.meta.url).href
  // Ends as soon as the backlog is empty, without processing messages meanwhile.
  const thread = new Worker(
    `const { workerData } = require('node:worker_threads')
     import(${JSON.stringify(module)}).then(({ waitingIn }) => { while (waitingIn(workerData) > 0); })`,
    { eval: true, workerData: backlog },
  )
  const ended = new Promise<number>((resolve) => thread.on('exit', resolve))
  await leavingBacklog(backlog, async () => undefined)()
  expect(await ended).toBe(0)
})
