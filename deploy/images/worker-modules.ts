import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { root } from './entries.ts'

/** Matches the URL of a module that the sources start as a thread or process. */
export const moduleAddress = /new URL\(\s*(['"])(?<path>\.\.?\/[^'"]+\.ts)\1,\s*import\.meta\.url,?\s*\)/g

/** The output file of a module: `services-music-worker-main.js` for `services/music/src/worker/main.ts`. */
export const workerFile = (module: string): string =>
  relative(fileURLToPath(root), module)
    .split(sep)
    .filter((part) => part !== 'src')
    .join('-')
    .replace(/\.ts$/, '.js')

/**
 * Bundles the modules that the sources start by `new URL('./x.ts', import.meta.url)` as entries, and rewrites the URL to the
 * output file. All files of the bundle are in one folder, so the relative URL is valid in every chunk.
 */
export const workerModules = (): Plugin => {
  const emitted = new Set<string>()
  return {
    name: 'worker-modules',
    buildStart: () => emitted.clear(),
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (code.search(moduleAddress) < 0) return null
        const replaced = code.replace(moduleAddress, (_text, _quote, path: string) => {
          const module = resolve(dirname(id), path)
          const fileName = workerFile(module)
          if (!emitted.has(fileName)) this.emitFile({ type: 'chunk', id: module, fileName })
          emitted.add(fileName)
          return `new URL('./${fileName}', import.meta.url)`
        })
        return { code: replaced, map: null }
      },
    },
  }
}
