import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { copyPackages } from './copy-packages.ts'
import { workerModules } from './worker-modules.ts'

/** Packages that read or load files of their own at run time; they are copied unbundled. */
const verbatim = [
  '@fastify/swagger-ui',
  '@jsquash/jpeg',
  '@jsquash/png',
  '@jsquash/webp',
  'playwright-core',
  'onnxruntime-node',
  'ssh2',
]

/** The 760 models of the Kubernetes client, of which nothing is used: 7 MB in memory. */
const withoutSideEffects = /@kubernetes\/client-node\/dist\//

const isVerbatim = (id: string): boolean => verbatim.some((name) => id === name || id.startsWith(`${name}/`))

/** A comment with a licence, which takes a whole line. */
const licence = /^\s*\/\*!.*\*\/$/gm

/**
 * Removes diacritics from names in licences, which the option `charset` leaves. V8 retains sources in memory, and Node
 * decodes a file to two bytes for each character if a single one is beyond ASCII.
 */
const licencesInAscii = (): Plugin => ({
  name: 'licences-in-ascii',
  generateBundle: (_, files) => {
    for (const file of Object.values(files))
      if (file.type === 'chunk') file.code = file.code.replace(licence, (line) => line.replace(/[^\0-\x7f]/g, plain))
  },
})

/** The ASCII character most like another one. */
const plain = (character: string): string => {
  const [base = '?'] = character.normalize('NFKD')
  return base <= '\x7f' ? base : '?'
}

/**
 * Writes the programs of the images into a folder: a file per entry, shared chunks, source maps, and the packages that cannot be
 * bundled.
 */
export const bundle = async (modules: Readonly<Record<string, string>>, folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await using build = await rolldown({
    input: { ...modules },
    platform: 'node',
    external: isVerbatim,
    treeshake: { moduleSideEffects: [{ test: withoutSideEffects, sideEffects: false }] },
    plugins: [workerModules(), licencesInAscii()],
    logLevel: 'warn',
    onLog: (level, log, handle) => {
      // Only dependencies use eval.
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
    charset: 'ascii',
    comments: { jsdoc: false },
  })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ private: true, type: 'module' })}\n`)
  await copyPackages(verbatim, folder)
}
