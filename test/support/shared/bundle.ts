import { fileURLToPath } from 'node:url'
import { bundle } from '../../../deploy/images/bundle.ts'
import { entries } from '../../../deploy/images/entries.ts'
import { workerFile } from '../../../deploy/images/worker-modules.ts'

const root = new URL('../../../', import.meta.url)

/**
 * Modules that tests start as processes, by their path in the repository: those of the images, those that users start on one machine, and processes
 * that exist only for tests.
 */
const started = [
  ...Object.values(entries),
  'operator/test/elected-process.ts',
  'services/logs/src/replicated/kill-victim.ts',
  'services/logs/src/collect/kill-victim.ts',
  'services/logs/src/segments/kill-victim.ts',
  'services/logs/src/threads/kill-victim.ts',
  'test/contract/nats-bus-process.ts',
  'test/probe/pod.ts',
  'test/probe/replica.ts',
  // Its workers.
  'test/probe/worker-kind.ts',
  'services/all-in-one/src/main.ts',
  'services/cli/src/main.ts',
  'services/all-in-one/src/supervisor/main.ts',
  'services/distributed/src/main.ts',
  'services/distributed/src/workloads/main.ts',
]

const entryOf = (path: string): string => `start-${workerFile(fileURLToPath(new URL(path, root)))}`

/** The file in the bundle that starts a module of the repository; undefined if the bundle lacks it. */
export const bundledEntry = (path: string): string | undefined => (started.includes(path) ? entryOf(path) : undefined)

/** Bundles all modules that tests start as processes and threads, like the images, and returns the folder. */
export const bundleForTests = async (folder: string): Promise<string> => {
  const modules = started.map((path) => [entryOf(path).replace(/\.js$/, ''), fileURLToPath(new URL(path, root))])
  await bundle(Object.fromEntries(modules), folder)
  return folder
}
