import { expect, test } from 'vitest'
import { limitSilence, outputOf, runLocally } from './command.ts'

test('a program receives the search path, but no other variable of the environment', async () => {
  process.env.SERVICE_API_KEY = 'secret-of-this-test'
  try {
    const output = await outputOf(runLocally, ['env'], { signal: new AbortController().signal, maxBytes: 10_000 })
    const names = output
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => !['_', 'PWD', 'SHLVL'].includes(String(name))).toSorted()).toEqual(['LC_ALL', 'PATH'])
  } finally {
    delete process.env.SERVICE_API_KEY
  }
})

test.each([
  ['prints nothing', 'exec sleep 600'],
  ['stops printing', 'echo one; exec sleep 600'],
])('a program that %s is ended after the limit of its silence', async (_, script) => {
  const run = limitSilence(runLocally, 50)
  const options = { signal: new AbortController().signal, maxBytes: 10_000 }
  await expect(outputOf(run, ['sh', '-c', script], options)).rejects.toThrow('sh has not responded for 1 s.')
})

test('a program that prints often is not limited', async () => {
  const run = limitSilence(runLocally, 5_000)
  const options = { signal: new AbortController().signal, maxBytes: 10_000 }
  const output = await outputOf(run, ['sh', '-c', 'echo one; echo two'], options)
  expect(output.toString()).toBe('one\ntwo\n')
})
