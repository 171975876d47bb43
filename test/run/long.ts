/**
 * `npm run test:long -- --minutes 30 [FILE...]`: explores for as long as it is given. Runs the test files that explore (those that draw from
 * test/support/exploration.ts, property tests among them, or those named) again and again, each time from a new seed and for TEST_RUNS_FACTOR times as many cases (10 unless
 * set). Ends at the first failure, with the command that repeats it.
 */
import { parseArgs } from 'node:util'
import { exploringFiles } from './exploring.ts'
import { say } from './process.ts'
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
const given = process.env.TEST_SEED

const until = performance.now() + minutes * 60_000
let passed = 0
for (let round = 1; ; round += 1) {
  const seed = String(round === 1 && given ? given : drawSeed())
  process.env.TEST_SEED = seed
  say(`Round ${round}: TEST_SEED=${seed} TEST_RUNS_FACTOR=${factor}`)
  const counts = await runTests([...everywhere, ...files])
  passed += counts.passed
  if (counts.failed > 0) {
    say(`\nTo repeat: TEST_SEED=${seed} TEST_RUNS_FACTOR=${factor} npm test -- ${files.join(' ')}`)
    say(`${passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
    process.exit(1)
  }
  if (performance.now() >= until) {
    say(`\n${round} rounds in ${minutes} minutes.\n${passed} passed, 0 failed, ${counts.skipped} skipped`)
    process.exit(0)
  }
}
