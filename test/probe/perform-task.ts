import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorKind, serviceError } from '@trellis/kit/errors'
import type { Work } from '@trellis/kit/workloads'
import type { ProbeTask } from './task.ts'

const bytes = (text: string) => Buffer.from(text)

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const idle = setInterval(() => undefined, 1_000)
    signal.addEventListener('abort', () => {
      clearInterval(idle)
      reject(signal.reason)
    })
  })

const exhaust = () => {
  const hoard: object[] = []
  for (;;) hoard.push(Array.from({ length: 10_000 }, () => ({})))
}

/** Allocates memory outside of the V8 heap without yielding, like a decoder. */
const exhaustOutsideHeap = (megabytes: number) => {
  const hoard = Array.from({ length: megabytes / 16 }, () => Buffer.alloc(16 * 1024 * 1024, 1))
  Object.assign(globalThis, { hoard })
}

const exhaustInChild = (megabytes: number): number => {
  const hoard = `const hoard = Array.from({ length: ${megabytes} }, () => Buffer.alloc(2 ** 20, 1)); setInterval(() => hoard, 1000)`
  return spawn(process.execPath, ['-e', hoard], { stdio: 'ignore' }).pid ?? 0
}

/** Performs the task in the input of a run. */
export const performTask: Work = async ({ input, progress, output, signal }) => {
  const task = JSON.parse(Buffer.from(input).toString()) as ProbeTask

  switch (task.do) {
    case 'work':
      for (let step = 1; step <= task.steps; step += 1) {
        progress(step / task.steps)
        output(bytes(`step ${step}`))
      }
      return bytes(`done ${task.steps}`)
    case 'pace':
      for (let step = 1; step <= task.steps; step += 1) {
        await sleep(task.milliseconds, undefined, { signal })
        output(bytes(`step ${step}`))
      }
      return bytes(`done ${task.steps}`)
    case 'fail':
      throw serviceError(task.kind as ErrorKind, task.detail, {
        ...(task.retryAfterSeconds ? { retryAfterSeconds: task.retryAfterSeconds } : {}),
      })
    case 'exit':
      return process.exit(task.code)
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      return untilAborted(signal)
    case 'exhaust':
      return exhaust()
    case 'exhaust-outside-heap':
      exhaustOutsideHeap(task.megabytes)
      return untilAborted(signal)
    case 'exhaust-in-child':
      output(bytes(String(exhaustInChild(task.megabytes))))
      return untilAborted(signal)
    case 'throw':
      throw new Error(task.message)
    case 'fail-when-cancelled':
      return untilAborted(signal).catch(() => {
        throw new TypeError('The run was cancelled in the middle of something.')
      })
    case 'wait':
      return untilAborted(signal)
    case 'environment':
      return bytes(JSON.stringify(process.env))
  }
}
