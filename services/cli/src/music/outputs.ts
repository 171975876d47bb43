import { rmSync } from 'node:fs'
import { link, lstat, mkdir, mkdtemp, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../explained.ts'
import { CommandFailure } from '../failure.ts'

/** The folder of a command's results. */
export type Outputs = AsyncDisposable & {
  /** A folder in it for temporary files, so that a finished file only needs a new name. Deleted with all that is left in it. */
  readonly workspace: string
  /** Moves finished files to their names and returns their paths. */
  readonly place: (files: readonly { readonly file: string; readonly name: string }[]) => Promise<string[]>
}

export type OutputsOptions = {
  readonly folder: string
  /** The files that the command will write. */
  readonly names: readonly string[]
  /** Whether existing files are overwritten. */
  readonly force: boolean
}

const alreadyThere = (path: string) =>
  new CommandFailure(`"${path}" exists already: use --force to overwrite it, or another folder.`)

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )

/** Gives a file a name that must be free: a link fails, where a rename would overwrite. */
const moveToFreeName = async (file: string, path: string): Promise<void> => {
  try {
    await link(file, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw alreadyThere(path)
    // File systems without links.
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    if (await exists(path)) throw alreadyThere(path)
    await rename(file, path)
    return
  }
  await rm(file)
}

/** Creates a folder; returns whether it was missing, or undefined if the one above it is. */
const createOne = async (folder: string): Promise<boolean | undefined> => {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    if (hasCode(error, 'EEXIST') && (await stat(folder)).isDirectory()) return false
    throw error
  }
}

/**
 * Creates a folder and the missing ones above it; returns whether it was missing. Each is tried twice, because Node's recursive `mkdir` retries
 * for ever where folders vanish, as below /proc.
 */
const createFolder = async (folder: string): Promise<boolean> => {
  const created = await createOne(folder)
  if (created !== undefined) return created
  await createFolder(dirname(folder))
  const second = await createOne(folder)
  if (second === undefined) throw new CommandFailure(`"${folder}" cannot be created: choose another folder.`)
  return second
}

/** Creates the folder, unless it exists, and checks that the results may be written there, before the work begins. */
export const openOutputs = async ({ folder, names, force }: OutputsOptions): Promise<Outputs> => {
  await using opened = new AsyncDisposableStack()
  // A folder without results is not left behind.
  if (await createFolder(folder)) opened.defer(() => rmdir(folder).catch(() => undefined))
  for (const name of names) if (!force && (await exists(join(folder, name)))) throw alreadyThere(join(folder, name))
  const workspace = await mkdtemp(join(folder, '.trellis-'))
  // A second Ctrl-C ends the process at once.
  const removeAtExit = () => rmSync(workspace, { recursive: true, force: true })
  process.once('exit', removeAtExit)
  opened.defer(async () => {
    await rm(workspace, { recursive: true, force: true, maxRetries: 3 })
    process.off('exit', removeAtExit)
  })
  const stack = opened.move()
  return {
    workspace,
    place: async (files) => {
      const paths: string[] = []
      for (const { file, name } of files) {
        const path = join(folder, name)
        await (force ? rename(file, path) : moveToFreeName(file, path))
        paths.push(path)
      }
      return paths
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
