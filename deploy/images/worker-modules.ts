import { dirname, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { root } from './entries.ts'

/** A module that is started as a thread or a process of its own, as the sources write it. */
export const moduleAddress = /new URL\(\s*(['"])(?<path>\.\.?\/[^'"]+\.ts)\1,\s*import\.meta\.url,?\s*\)/g

/** The file that a module becomes: `services/music/src/worker/main.ts` is `services-music-worker-main.js`. */
export const workerFile = (module: string): string =>
  relative(fileURLToPath(root), module)
    .split(sep)
    .filter((part) => part !== 'src')
    .join('-')
    .replace(/\.ts$/, '.js')

/**
 * Makes entries of the modules that the sources start by `new URL('./x.ts', import.meta.url)`, and points the address at
 * the file that they become. All files of the bundle lie in one folder, so that it is right in whichever chunk it ends up.
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
