/**
 * `npm test` runs every check that this machine can run without a cluster and a draw of the expensive test files, or only the tests named by its
 * arguments. Prints what was skipped and why, and ends with one line of test counts. Options of its own:
 * - `--all`: all test files (`npm run test:all`)
 * - `--record`: writes what the expensive files took
 */
import { runChecks } from './checks.ts'
import { type Counts, print } from './process.ts'
import { everywhere, runTests } from './run-tests.ts'
import { drawSeed } from './seed.ts'

const began = performance.now()
const own = ['--all', '--record']
const options = new Set(process.argv.slice(2).filter((argument) => own.includes(argument)))
const named = process.argv.slice(2).filter((argument) => !own.includes(argument))

process.env.TEST_SEED ||= String(drawSeed())
if (options.has('--all')) Object.assign(process.env, { TEST_DRAWN: 'all', TEST_DRAWN_ON_CLUSTER: 'all' })
if (options.has('--record')) process.env.TEST_RECORD = 'yes'
print(`Random choices are determined by TEST_SEED=${process.env.TEST_SEED}.`)

// Imported late, because it reads the seed.
const { filesNotDrawn, isOnCluster, namedFiles, readDrawnSeconds } = await import('./drawn-files.ts')
try {
  readDrawnSeconds()
} catch (error) {
  print(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

const isWhole = named.length === 0
/** `npm run test:cluster`, with or without names of files. */
const runsOnCluster = named.some((argument) => argument.startsWith('cluster'))
if (isWhole || runsOnCluster) {
  const left = filesNotDrawn(namedFiles(named)).filter((key) => isOnCluster(key) === runsOnCluster)
  const all = runsOnCluster ? 'without TEST_DRAWN_ON_CLUSTER all run' : 'npm run test:all runs all'
  if (left.length > 0) {
    print(`Not drawn: ${left.length} of the expensive test files (${all}):`)
    for (const file of left) print(`  ${file}`)
  }
}
const parts: Counts[] = isWhole ? await Promise.all([runChecks(), runTests(everywhere)]) : [await runTests(named)]
const total = (key: keyof Counts) => parts.reduce((sum, counts) => sum + counts[key], 0)
print(`\nThat took ${Math.round((performance.now() - began) / 1_000)} s, with TEST_SEED=${process.env.TEST_SEED}.`)
print(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
process.exit(total('failed') === 0 ? 0 : 1)
