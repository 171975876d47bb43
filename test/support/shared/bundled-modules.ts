import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { moduleAddress, workerFile } from '../../../deploy/images/worker-modules.ts'
import { askShared, canShare } from './ask.ts'

/**
 * Points the threads and processes that tested modules start, by `new URL('./x.ts', import.meta.url)`, at the bundle. They start in a third
 * of the time, since hundreds of modules need not be loaded one by one, and what is tested is what the images run.
 */
export const bundledModules = (): Plugin => ({
  name: 'bundled-modules',
  enforce: 'pre',
  // The bundle lies elsewhere in each run: what points at it is not to be found in the cache of transformed modules by a later one.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ sourceCode }) => (sourceCode.search(moduleAddress) < 0 ? undefined : false)),
  transform: {
    filter: { code: 'import.meta.url', id: { exclude: [/node_modules/, /\.test\.ts$/] } },
    async handler(code, id) {
      if (!canShare() || code.search(moduleAddress) < 0) return null
      const { folder } = await askShared('bundle')
      const replaced = code.replace(moduleAddress, (text, _quote, path: string) => {
        const file = join(folder, workerFile(resolve(dirname(id), path)))
        return existsSync(file) ? `new URL(${JSON.stringify(pathToFileURL(file).href)})` : text
      })
      return replaced === code ? null : { code: replaced, map: null }
    },
  },
})
