import { expect, test } from 'vitest'
import { outputOf, runLocally } from './command.ts'

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
