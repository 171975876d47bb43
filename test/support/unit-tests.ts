import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Matches test files that start, open, replace or wait for something, and so may leave traces in their process: servers, threads, files,
 * variables, clocks, compiled code, anything from `test/support` or from test-support modules, and other test files.
 */
const traces =
  /await using|support\/|for-tests|test-support|spawn|Worker|createServer|listen\(|\b(?:open|start|connect)[A-Z]\w*\(|mkdtemp|process\.(?:env|on|chdir|kill|exit)|\bvi\.|execFile|node:(?:child_process|net|http|https|worker_threads|sqlite|v8|fs\/promises)|fetch\(|setTimeout|beforeAll|globalThis|simulation\/|create(?:Memory|Nats)\w*|temporary|\.test\.ts'/

/**
 * The test files below these folders that only call functions. They share a few threads without isolation, so none needs its own process or
 * imports: most of them take milliseconds. All other files get a separate process.
 */
export const unitTests = (root: string, folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }))
    .filter((file) => !file.includes('/simulation/') && !traces.test(readFileSync(join(root, file), 'utf8')))
