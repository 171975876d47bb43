import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The programs of the images, by the name of their file: `node /app/<name>.js`. Paths are relative to the root of the repository. */
export const entries = {
  // Everything in one process, as `npm start` runs it.
  'all-in-one': 'services/all-in-one/src/main.ts',
  edge: 'services/edge/src/main.ts',
  listings: 'services/listings/src/main.ts',
  logs: 'services/logs/src/main.ts',
  music: 'services/music/src/main.ts',
  branch: 'services/branch/src/main.ts',
  operator: 'operator/src/main.ts',
  'create-secrets': 'operator/src/secrets/main.ts',
  'search-worker': 'services/listings/src/worker/pod.ts',
  'generation-worker': 'services/music/src/worker/pod.ts',
  'demo-marketplace': 'services/listings/src/marketplace/demo/main.ts',
  'await-servers': 'deploy/images/await-servers/main.ts',
  'follow-search': 'deploy/images/follow-search/main.ts',
} as const

/** The root of the repository, with a trailing slash. */
export const root = new URL('../../', import.meta.url)

/** The entries by name, as absolute paths. Throws if a module does not exist. */
export const entryModules = (): Record<string, string> => {
  const modules = Object.entries(entries).map(([name, path]) => [name, fileURLToPath(new URL(path, root))] as const)
  const missing = modules.filter(([, path]) => !existsSync(path)).map(([, path]) => path)
  if (missing.length > 0)
    throw new Error(`These modules of deploy/images/entries.ts do not exist: ${missing.join(', ')}`)
  return Object.fromEntries(modules)
}
