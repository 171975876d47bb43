/**
 * `npm run test:long -- --minutes 30 [FILE...]` explores for that many minutes. Runs the test files that explore (by default all that use
 * test/support/exploration.ts, including property tests) repeatedly, each time from a new seed and with TEST_RUNS_FACTOR times as many
 * cases (10 by default). Stops at the first failure and prints the command that repeats it.
 */
import { parseArgs } from 'node:util'
import { exploringFiles } from './exploring.ts'
import { print } from './process.ts'
import { everywhere, runTests } from './run-tests.ts'
import { drawSeed } from './seed.ts'

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '30' } },
  allowPositionals: true,
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  process.stderr.write(`--minutes is "${values.minutes}", but must be a number above 0.\n`)
  process.exit(2)
}

const files = positionals.length > 0 ? positionals : exploringFiles()
process.env.TEST_RUNS_FACTOR ||= '10'
const factor = process.env.TEST_RUNS_FACTOR
const firstSeed = process.env.TEST_SEED

const until = performance.now() + minutes * 60_000
let passed = 0
for (let round = 1; ; round += 1) {
  const seed = String(round === 1 && firstSeed ? firstSeed : drawSeed())
  process.env.TEST_SEED = seed
  print(`Round ${round}: TEST_SEED=${seed} TEST_RUNS_FACTOR=${factor}`)
  const counts = await runTests([...everywhere, ...files])
  passed += counts.passed
  if (counts.failed > 0) {
    print(`\nTo repeat: TEST_SEED=${seed} TEST_RUNS_FACTOR=${factor} npm test -- ${files.join(' ')}`)
    print(`${passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    process.exit(1)
  }
  if (performance.now() >= until) {
    print(`\n${round} rounds in ${minutes} minutes.\n${passed} passed, 0 failed, ${counts.skipped} skipped`)
    process.exit(0)
  }
}
