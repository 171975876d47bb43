import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a test file mentions if it starts, opens, replaces or waits for something, so that it may leave traces in its process: servers,
 * threads, files, variables, clocks, and whatever stands in `test/support` or in a module for tests.
 */
const traces =
  /await using|support\/|for-tests|test-support|spawn|Worker|createServer|listen\(|\b(?:open|start|connect)[A-Z]\w*\(|mkdtemp|process\.(?:env|on|chdir|kill|exit)|\bvi\.|execFile|node:(?:child_process|net|http|https|worker_threads|sqlite|fs\/promises)|fetch\(|setTimeout|beforeAll|globalThis|simulation\/|create(?:Memory|Nats)\w*|temporary/

/**
 * The test files below these folders that only call functions. They share a few threads, without isolation from each other, and so need no
 * process and no further imports for each: most of them take milliseconds. Files that mention anything else get a process of their own.
 */
export const unitTests = (root: string, folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }))
    .filter((file) => !file.includes('/simulation/') && !traces.test(readFileSync(join(root, file), 'utf8')))
