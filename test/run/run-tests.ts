import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { provideNatsServer } from './nats-server.ts'
import { needsNatsServer } from './needs-nats.ts'
import { type Counts, print, run } from './process.ts'
import { skippedLines } from './skipped.ts'

type Report = {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: { status: string; fullName: string }[] }[]
}

/** The projects of the default run: all that need no cluster. */
export const everywhere = ['embedded', 'unit', 'audio', 'distributed'].map((name) => `--project=${name}`)

/** Points tests at a cached nats-server, or fetches it if they need it. */
const provideServers = (args: readonly string[]): void => {
  const natsServer = provideNatsServer(process.env, { isNeeded: () => needsNatsServer(args), print })
  if (natsServer !== undefined) process.env.NATS_SERVER_BIN = natsServer
}

/** Runs vitest with its output, prints why tests were skipped, and returns the counts. */
export const runTests = async (args: readonly string[]): Promise<Counts> => {
  provideServers(args)
  const directory = await mkdtemp(join(tmpdir(), 'trellis-results-'))
  const file = join(directory, 'results.json')
  const reporters = [
    '--reporter=default',
    '--reporter=./test/run/failures.ts',
    '--reporter=./test/run/slowest.ts',
    '--reporter=json',
  ]
  const { code } = await run('vitest', ['run', ...reporters, `--outputFile.json=${file}`, ...args], false)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  await rm(directory, { recursive: true })
  // vitest itself has failed and printed the reason.
  if (text === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const report = JSON.parse(text) as Report
  const skipped = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'pending' || status === 'skipped')
      .map(({ fullName }) => fullName),
  )
  for (const line of skippedLines(skipped)) print(line)
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every(({ status: one }) => one !== 'failed'),
  )
  // A test file that could not be loaded, or an error outside of tests, has no failed test of its own.
  const failed = report.numFailedTests + broken.length
  return { passed: report.numPassedTests, failed: code === 0 ? failed : Math.max(1, failed), skipped: skipped.length }
}
