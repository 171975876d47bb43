/**
 * `npm test`: every check this machine can run without a cluster; or the tests that its arguments name, and nothing else. Says what had
 * to be skipped and why, and ends with one line that counts tests.
 */
import { runChecks } from './checks.ts'
import { type Counts, say } from './process.ts'
import { everywhere, runTests } from './run-tests.ts'
import { drawSeed } from './seed.ts'

const began = performance.now()
const args = process.argv.slice(2)
process.env.TEST_SEED ||= String(drawSeed())
say(`What is drawn follows from TEST_SEED=${process.env.TEST_SEED}.`)
const parts: Counts[] =
  args.length === 0 ? await Promise.all([runChecks(), runTests(everywhere)]) : [await runTests(args)]
const total = (key: keyof Counts) => parts.reduce((sum, counts) => sum + counts[key], 0)
say(`\nThat took ${Math.round((performance.now() - began) / 1_000)} s, with TEST_SEED=${process.env.TEST_SEED}.`)
say(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
process.exit(total('failed') === 0 ? 0 : 1)
