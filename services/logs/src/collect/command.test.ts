import { expect, test } from 'vitest'
import { outputOf, runLocally } from './command.ts'

test('a program sees nothing of the environment but where programs are', async () => {
  process.env.SERVICE_API_KEY = 'secret-of-this-test'
  try {
    const said = await outputOf(runLocally, ['env'], { signal: new AbortController().signal, maxBytes: 10_000 })
    const names = said
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => !['_', 'PWD', 'SHLVL'].includes(String(name))).toSorted()).toEqual(['LC_ALL', 'PATH'])
  } finally {
    delete process.env.SERVICE_API_KEY
  }
})
