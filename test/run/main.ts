/**
 * `npm test` runs every check that this machine can run without a cluster, or only the tests named by its arguments. Prints what was
 * skipped and why, and ends with one line of test counts.
 */
import { runChecks } from './checks.ts'
import { type Counts, print } from './process.ts'
import { everywhere, runTests } from './run-tests.ts'
import { drawSeed } from './seed.ts'

const began = performance.now()
const args = process.argv.slice(2)
process.env.TEST_SEED ||= String(drawSeed())
print(`Random choices are determined by TEST_SEED=${process.env.TEST_SEED}.`)
if (args.length === 0) {
  const { leftOutOnDistributed } = await import('./drawn-on-distributed.ts')
  print(`Not drawn on the distributed form: ${leftOutOnDistributed([]).join(', ')}.`)
}
const parts: Counts[] =
  args.length === 0 ? await Promise.all([runChecks(), runTests(everywhere)]) : [await runTests(args)]
const total = (key: keyof Counts) => parts.reduce((sum, counts) => sum + counts[key], 0)
print(`\nThat took ${Math.round((performance.now() - began) / 1_000)} s, with TEST_SEED=${process.env.TEST_SEED}.`)
print(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
process.exit(total('failed') === 0 ? 0 : 1)
