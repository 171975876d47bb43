/**
 * `npm test`: every check this machine can run without a cluster, in order of cost; or the tests that its arguments name, and
 * nothing else. Says what had to be skipped and why, and ends with one line that counts tests.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const generated = [
  'protos/gen',
  'test/probe/gen',
  'crds',
  'docs/reference/kinds.md',
  'charts/trellis/files/crds',
  'charts/trellis/values.schema.json',
]

type Counts = { passed: number; failed: number; skipped: number }

const run = (command: string, args: string[], quiet: boolean): Promise<{ code: number; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', (text) => (output += text))
    child.stderr?.on('data', (text) => (output += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })

const say = (text: string) => process.stdout.write(`${text}\n`)

const has = async (command: string, ...args: string[]): Promise<boolean> => {
  try {
    return (await run(command, args, true)).code === 0
  } catch {
    return false
  }
}

type Check = {
  name: string
  command: string
  args: string[]
  /** Why it cannot run here, if it cannot. */
  unless?: () => Promise<string | undefined>
}

const notRepository = async () =>
  (await has('git', 'rev-parse', '--verify', 'HEAD')) ? undefined : 'this is not a git checkout'

const checks: Check[] = [
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  {
    name: 'lint, format and import rules',
    command: 'biome',
    args: ['check', '--error-on-warnings', '--max-diagnostics=50'],
  },
  { name: 'protos lint', command: 'buf', args: ['lint'] },
  {
    name: 'protos format',
    command: 'buf',
    args: ['format', '--diff', '--exit-code', '--path', 'protos/trellis', '--path', 'test/probe/trellis'],
  },
  {
    name: 'protos stay compatible with what was released',
    command: 'buf',
    args: ['breaking', 'protos', '--against', 'protos/released.binpb'],
  },
  {
    name: 'generated files are fresh',
    command: process.execPath,
    args: [fileURLToPath(new URL('./fresh.ts', import.meta.url)), ...generated],
    unless: notRepository,
  },
]

const runChecks = async (): Promise<Counts> => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, command, args, unless } of checks) {
    const reason = await unless?.()
    if (reason !== undefined) {
      say(`skipped  ${name}: ${reason}`)
      counts.skipped += 1
      continue
    }
    const began = performance.now()
    const { code, output } = await run(command, args, true)
    const took = `${((performance.now() - began) / 1_000).toFixed(1)} s`
    say(`${code === 0 ? 'passed ' : 'FAILED '}  ${name} (${took})`)
    if (code !== 0) say(output)
    counts[code === 0 ? 'passed' : 'failed'] += 1
  }
  return counts
}

type Result = {
  numPassedTests: number
  numFailedTests: number
  numFailedTestSuites: number
  numPendingTests: number
  numTodoTests: number
}
type Report = Result & {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[]
}

const runTests = async (args: string[]): Promise<Counts> => {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-results-'))
  const file = join(directory, 'results.json')
  const { code } = await run(
    'vitest',
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args],
    false,
  )
  const report = JSON.parse(await readFile(file, 'utf8')) as Report
  await rm(directory, { recursive: true })
  const skipped = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'pending' || status === 'skipped')
      .map(({ fullName }) => fullName),
  )
  for (const name of skipped) say(`skipped  ${name}`)
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every(({ status: one }) => one !== 'failed'),
  )
  // A test file that could not even be loaded, or an error outside of every test, has no test of its own to fail.
  const failed = report.numFailedTests + broken.length
  return { passed: report.numPassedTests, failed: code === 0 ? failed : Math.max(1, failed), skipped: skipped.length }
}

/** What is run unless told: all that needs no cluster. */
const everywhere = ['--project', 'embedded', '--project', 'distributed']

const began = performance.now()
const args = process.argv.slice(2)
const parts = args.length === 0 ? [await runChecks(), await runTests(everywhere)] : [await runTests(args)]
const total = (key: keyof Counts) => parts.reduce((sum, counts) => sum + counts[key], 0)
say(`\nThat took ${Math.round((performance.now() - began) / 1_000)} s.`)
say(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
process.exit(total('failed') === 0 ? 0 : 1)
