import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What an image can run, by the name of its file: `node /app/<name>.js`. Paths are from the root of the repository. */
export const entries = {
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

/** The folder of the repository, with a slash at its end. */
export const root = new URL('../../', import.meta.url)

/** The entries by name, as absolute paths. Throws where a module is not there: what is listed is what an image has. */
export const entryModules = (): Record<string, string> => {
  const modules = Object.entries(entries).map(([name, path]) => [name, fileURLToPath(new URL(path, root))] as const)
  const missing = modules.filter(([, path]) => !existsSync(path)).map(([, path]) => path)
  if (missing.length > 0) throw new Error(`These modules are not there: ${missing.join(', ')}`)
  return Object.fromEntries(modules)
}
