import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = new URL('./exploration.ts', import.meta.url).href

/** Evaluates an expression over the module in a process with these variables. */
const evaluate = async (expression: string, variables: Record<string, string>): Promise<unknown> => {
  const source = `import * as exploration from ${JSON.stringify(module)}; console.log(JSON.stringify(${expression}))`
  const environment = { ...process.env, TEST_SEED: '', TEST_RUNS_FACTOR: '', ...variables }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source], {
    env: environment,
  })
  return JSON.parse(stdout)
}

const items = '[..."abcdefghijklmnopqrst"]'

test('only the run seed determines what is explored', async () => {
  const expression = `[exploration.exploredSeeds(3), exploration.sample(${items}, 5)]`
  const [first, again, other] = await Promise.all([
    evaluate(expression, { TEST_SEED: '77' }),
    evaluate(expression, { TEST_SEED: '77' }),
    evaluate(expression, { TEST_SEED: '78' }),
  ])
  expect(first).toEqual([[77, 78, 79], expect.objectContaining({ length: 5 })])
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
})

test('the factor multiplies counts, and a sample never exceeds its items', async () => {
  const expression = `[exploration.runs(10), exploration.exploredSeeds(2).length, exploration.sample(${items}, 5).join('')]`
  expect(await evaluate(expression, { TEST_RUNS_FACTOR: '20' })).toEqual([200, 40, 'abcdefghijklmnopqrst'])
  expect(await evaluate(expression, { TEST_RUNS_FACTOR: '0.01' })).toEqual([1, 1, expect.stringMatching(/^[a-t]$/)])
})

test('seeds stay positive 31-bit integers at the end of their range', async () => {
  expect(await evaluate('exploration.exploredSeeds(3)', { TEST_SEED: '2147483646' })).toEqual([
    2_147_483_646, 2_147_483_647, 1,
  ])
})

test('an invalid factor or seed is rejected with its name', async () => {
  await expect(evaluate('1', { TEST_RUNS_FACTOR: 'many' })).rejects.toThrow('TEST_RUNS_FACTOR is "many"')
  await expect(evaluate('1', { TEST_SEED: '-4' })).rejects.toThrow('TEST_SEED is "-4"')
})

test('each suite draws one available back end, or all with a larger factor, and retains missing ones', async () => {
  const backends = '[{ name: "a", isMissing: false }, { name: "b", isMissing: false }, { name: "c", isMissing: true }]'
  const drawn = (seed: string, factor = '1') =>
    evaluate(
      `["x", "y", "z", "u", "v", "w"].map((suite) => exploration.drawnBackend(${backends}, suite).map(({ name }) => name).join(""))`,
      { TEST_SEED: seed, TEST_RUNS_FACTOR: factor },
    ) as Promise<string[]>
  const runs = await Promise.all(['1', '2', '3', '4'].map((seed) => drawn(seed)))
  expect([...new Set(runs.flat())].sort()).toEqual(['ac', 'bc'])
  expect(new Set(runs.map(String)).size).toBeGreaterThan(1)
  expect(await drawn('1')).toEqual(runs[0])
  expect(new Set(await drawn('1', '2'))).toEqual(new Set(['abc']))
})
