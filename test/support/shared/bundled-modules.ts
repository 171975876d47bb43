import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { moduleAddress, workerFile } from '../../../deploy/images/worker-modules.ts'
import { canShare, fetchShared } from './fetch-shared.ts'

/**
 * Redirects the threads and processes that tested modules start by `new URL('./x.ts', import.meta.url)` to the bundle. They start in a third
 * of the time, because hundreds of modules need not be loaded one by one, and the tests cover the code that the images run.
 */
export const bundledModules = (): Plugin => ({
  name: 'bundled-modules',
  enforce: 'pre',
  // The bundle has a different path in each run, so modules that refer to it must not be cached across runs.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ sourceCode }) => (sourceCode.search(moduleAddress) < 0 ? undefined : false)),
  transform: {
    filter: { code: 'import.meta.url', id: { exclude: [/node_modules/, /\.test\.ts$/] } },
    async handler(code, id) {
      if (!canShare() || code.search(moduleAddress) < 0) return null
      const { folder } = await fetchShared('bundle')
      const replaced = code.replace(moduleAddress, (text, _quote, path: string) => {
        const file = join(folder, workerFile(resolve(dirname(id), path)))
        return existsSync(file) ? `new URL(${JSON.stringify(pathToFileURL(file).href)})` : text
      })
      return replaced === code ? null : { code: replaced, map: null }
    },
  },
})
