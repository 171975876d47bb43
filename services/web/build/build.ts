import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { compressFiles } from './compress.ts'
import { buildFolder, webRoot } from './folders.ts'
import { isCurrent, sourceStamp, stampFile } from './stamp.ts'

/** Puts a finished build in place in one step; another process may have been faster, and then its equal build stays. */
const publish = async (built: string, folder: string, stamp: string): Promise<void> => {
  // Pages may be loading from the equal build of another process.
  if (isCurrent(folder, stamp)) return
  const old = `${built}-old`
  try {
    await rename(folder, old)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  try {
    await rename(built, folder)
  } catch (error) {
    if (!isCurrent(folder, stamp)) throw error
    await rm(built, { recursive: true, force: true })
  }
  await rm(old, { recursive: true, force: true })
}

/**
 * Runs work as in production: Vite and Svelte otherwise follow the NODE_ENV of the process, so that a test would build, serve and measure the
 * development form, which is a fifth larger.
 */
const inProduction = async (work: () => Promise<unknown>): Promise<void> => {
  // biome-ignore lint/style/noProcessEnv: no setting of Trellis, but what the tools follow
  const environment = process.env
  const before = environment.NODE_ENV
  environment.NODE_ENV = 'production'
  try {
    await work()
  } finally {
    if (before === undefined) delete environment.NODE_ENV
    else environment.NODE_ENV = before
  }
}

/** Builds the web app into a folder, unless the folder has a build of the same sources. Returns whether it built. */
export const buildWeb = async (folder: string = buildFolder): Promise<boolean> => {
  const target = resolve(folder)
  const stamp = sourceStamp()
  if (isCurrent(target, stamp)) return false
  await mkdir(dirname(target), { recursive: true })
  const building = await mkdtemp(`${target}-`)
  try {
    // Loaded only when something has to be built: it takes longer than all the rest.
    const { build } = await import('vite')
    await inProduction(() =>
      build({
        root: webRoot,
        configFile: join(webRoot, 'vite.config.ts'),
        configLoader: 'native',
        logLevel: 'warn',
        build: { outDir: building, emptyOutDir: true },
      }),
    )
    await compressFiles(join(building, 'assets'))
    await writeFile(stampFile(building), stamp)
    // A temporary folder is private; in an image the edge runs as another user than the build.
    await chmod(building, 0o755)
    await publish(building, target, stamp)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
  return true
}
