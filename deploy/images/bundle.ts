import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { copyPackages } from './copy-packages.ts'
import { workerModules } from './worker-modules.ts'

/** Packages that read or load files beside them while they run: they go along as they are. */
const verbatim = ['@fastify/swagger-ui', 'playwright-core', 'onnxruntime-node', 'ssh2']

const isVerbatim = (id: string): boolean => verbatim.some((name) => id === name || id.startsWith(`${name}/`))

/**
 * Writes everything that the images run into a folder: one file an entry, chunks that they share, source maps, and the few
 * packages that have to stay whole.
 */
export const bundle = async (modules: Readonly<Record<string, string>>, folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await using build = await rolldown({
    input: { ...modules },
    platform: 'node',
    external: isVerbatim,
    plugins: [workerModules()],
    logLevel: 'warn',
    onLog: (level, log, handle) => {
      // Packages of others that use eval; none of ours does.
      if (log.code !== 'EVAL') handle(level, log)
    },
  })
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
    sourcemap: true,
    keepNames: true,
    // Sources stay in memory: one character beyond Latin-1 doubles what a whole file takes.
    charset: 'ascii',
    comments: { jsdoc: false },
  })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ private: true, type: 'module' })}\n`)
  await copyPackages(verbatim, folder)
}
