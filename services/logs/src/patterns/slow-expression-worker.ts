import { parentPort } from 'node:worker_threads'
import { hostileLines } from '../formats/user/hostile-lines.ts'
import { lookedAt } from './enricher.ts'

/** The thread in which a user's expressions are tried: one that never ends is ended with it. */
if (!parentPort) throw new Error('This module is the start of a thread.')
const port = parentPort

/** Of the thread's own time, so that a busy machine makes no difference. */
const mostMilliseconds = 50

const processorMilliseconds = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
const timeOf = (matcher: RegExp, line: string): number => {
  const before = processorMilliseconds()
  matcher.test(line)
  return processorMilliseconds() - before
}

port.on('message', ({ matcher, sample }: { matcher: RegExp; sample: string }) => {
  for (const whole of hostileLines([sample], false)) {
    const line = whole.length > lookedAt ? whole.slice(0, lookedAt - 1) + whole.slice(-1) : whole
    // What was slow once may have been the compiler.
    if (timeOf(matcher, line) > mostMilliseconds && timeOf(matcher, line) > mostMilliseconds) {
      port.postMessage(true)
      return
    }
  }
  port.postMessage(false)
})
