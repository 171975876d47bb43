import { spawnSync } from 'node:child_process'
import { chown, cp, lstat, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Who a server runs as that refuses to run as root. */
export type ServerUser = { uid: number; gid: number }

const nobody: ServerUser = { uid: 65_534, gid: 65_534 }

/** A folder that a server's user may not enter. The message is for the person who started it. */
export class FolderClosed extends Error {
  override name = 'FolderClosed'
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** The user for a server: nobody, where we are root; else ourselves. */
export const serverUser = (): ServerUser | undefined => (process.getuid?.() === 0 ? nobody : undefined)

const mayEnter = (path: string, user: ServerUser): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...user, stdio: 'ignore' }).status === 0

/** Throws FolderClosed where the user may not enter a folder, which is so below the home of root. */
export const checkFolder = (path: string, user: ServerUser | undefined): void => {
  if (!user || mayEnter(path, user)) return
  throw new FolderClosed(
    `Postgres refuses to run as root, and nobody else may enter ${path}. Set TRELLIS_DATA_DIR to a folder that others may pass through (such as one in /var/lib), or run this as another user.`,
  )
}

/**
 * A folder of programs as the user can reach it: itself, or else a copy of it in the folder for temporary files, which
 * stays there for the next time. `label` names it there, with a version.
 */
export const reachableFolder = async (folder: string, label: string, user: ServerUser | undefined): Promise<string> => {
  if (!user || mayEnter(folder, user)) return folder
  const copy = join(tmpdir(), label)
  if (!(await exists(copy))) {
    const unfinished = await mkdtemp(`${copy}-`)
    await cp(folder, join(unfinished, 'copy'), { recursive: true, verbatimSymlinks: true })
    // Another may have been faster: theirs is as good.
    await rename(join(unfinished, 'copy'), copy).catch(() => undefined)
    await rm(unfinished, { recursive: true, force: true })
  }
  // Anybody may write to that folder, so that what lies there under this name need not be ours.
  const { uid, mode } = await lstat(copy)
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new FolderClosed(`${copy} belongs to somebody else; what lies there is not run. Remove it.`)
  return copy
}

/** Gives a file or folder to the user. */
export const giveTo = async (path: string, user: ServerUser | undefined): Promise<void> => {
  if (user) await chown(path, user.uid, user.gid)
}
