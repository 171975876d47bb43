/**
 * Runs the third-party fuzzer Schemathesis over operations of the API document drawn by the seed, and over all of them with a larger
 * `TEST_RUNS_FACTOR`, which multiplies its fuzzing time, too. Its virtual environment is created by the first run. `TEST_SEED` repeats a run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { proxyEndingStreams } from '../support/ending-streams.ts'
import { runSeed, runsFactor, sample } from '../support/exploration.ts'
import { attempt } from '../support/run-program.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startTrellis } from '../support/trellis.ts'
import { routes } from './document.ts'
import { operationRules } from './schemathesis-rules.ts'
import { adminKey, webhookEnvironment } from './send.ts'

const version = '4.32.0'
const environment = fileURLToPath(new URL(`../../node_modules/.cache/schemathesis-${version}`, import.meta.url))
const program = `${environment}/bin/schemathesis`
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const runs = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status === 0

/** Creates the environment if it does not exist. Returns a reason if that is impossible. */
const prepare = (): string | undefined => {
  if (existsSync(program) && runs(program, '--version')) return undefined
  if (!runs('python3', '-c', 'import venv, ensurepip, sys; sys.exit(sys.version_info < (3, 10))'))
    return 'Python 3.10 or later with venv was not found'
  rmSync(environment, { recursive: true, force: true })
  if (runs('python3', '-m', 'venv', environment)) {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`]
    if (runs(`${environment}/bin/python`, ...pip)) return undefined
  }
  rmSync(environment, { recursive: true, force: true })
  return 'Schemathesis could not be installed from PyPI'
}

const missing = process.env.TRELLIS_FORM === 'distributed' ? 'it runs on the embedded form' : prepare()
/** By default each phase runs once, however busy the machine is. With a larger factor, fuzzing is repeated for this many seconds. */
const fuzzingSeconds = runsFactor > 1 ? Math.ceil(40 * runsFactor) : undefined
/** The whole document takes minutes of CPU. */
const drawn = sample(routes, runsFactor > 1 ? routes.length : Math.ceil(routes.length / 5), 'schemathesis')
const title = `Schemathesis ${version} finds no failure in ${drawn.length} of ${routes.length} routes (TEST_SEED=${runSeed})`

test.skipIf(missing !== undefined)(missing === undefined ? title : `${title}: ${missing}`, { timeout: 0 }, async () => {
  await using trellis = await startTrellis({
    SERVICE_ORCHARD_ADMIN_KEY: adminKey,
    ...webhookEnvironment,
    BRANCH_LIMIT: '2',
    MARKETPLACE_BASE_URL: 'http://127.0.0.1:9',
    RATE_LIMIT_SEARCHES: '0',
    RATE_LIMIT_GENERATIONS: '0',
    RATE_LIMIT_EXPORTS: '0',
  })
  await using proxy = await proxyEndingStreams(trellis.origin)
  // One worker: the `ast` module of Python 3.11, which Hypothesis uses, occasionally fails in several threads.
  await using directory = await temporaryDirectory()
  const config = join(directory.path, 'schemathesis.toml')
  await writeFile(config, `${await readFile(beside('schemathesis.toml'), 'utf8')}\n${operationRules(routes)}`)
  const args = ['--seed', String(runSeed), '--workers', '1', '--no-color']
  if (drawn.length < routes.length)
    args.push(...drawn.flatMap(({ operation }) => ['--include-operation-id', operation.operationId]))
  if (fuzzingSeconds !== undefined) args.push('--max-time', String(fuzzingSeconds))
  const { code, output } = await attempt(
    program,
    ['--config-file', config, 'run', `${proxy.origin}/openapi.json`, ...args],
    { environment: { SCHEMATHESIS_HOOKS: beside('schemathesis_hooks.py') }, seconds: (fuzzingSeconds ?? 0) * 4 + 600 },
  )
  // Generated bodies are long repetitions, which would displace the failures.
  expect(code, output.replaceAll(/(.)\1{40,}/g, '$1…').slice(-40_000)).toBe(0)
  expect(/Selected: (\d+)\/(\d+)/.exec(output)?.slice(1).map(Number)).toEqual([drawn.length, routes.length])
  expect(Number(/Tested: (\d+)/.exec(output)?.[1])).toBe(drawn.length)
  expect(trellis.output()).not.toContain('"level":"error"')
})
