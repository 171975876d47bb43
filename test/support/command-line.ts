import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { asStarted } from './as-started.ts'
import { modulePath } from './module-path.ts'

const main = await modulePath('services/cli/src/main.ts')

/**
 * Starts `trellis` with words: `result` and `notes` return what it has written so far, and `closed` resolves to all of it with its status. It is
 * killed when the test ends.
 */
export const startCommand = (words: readonly string[], environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...asStarted, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [result, notes] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (result += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (notes += text))
  const closed = once(child, 'close').then(([code]) => ({ code: code as number | null, result, notes }))
  return { child, closed, result: () => result, notes: () => notes }
}

/** Runs `trellis` with words and some standard input, which it may not read. */
export const runCommand = (words: readonly string[], environment: Readonly<Record<string, string>>, input = '') => {
  const { child, closed } = startCommand(words, environment)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return closed
}
