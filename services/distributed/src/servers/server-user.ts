import { spawnSync } from 'node:child_process'
import { chown, cp, lstat, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The user for a server that does not run as root. */
export type ServerUser = { uid: number; gid: number }

const unprivileged: ServerUser = { uid: 65_534, gid: 65_534 }

/** A folder that a server's user may not enter. The message is for the user who started the program. */
export class FolderClosed extends Error {
  override name = 'FolderClosed'
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** The user for a server: an unprivileged one if we are root, else undefined, for our own. */
export const serverUser = (): ServerUser | undefined => (process.getuid?.() === 0 ? unprivileged : undefined)

const mayEnter = (path: string, user: ServerUser): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...user, stdio: 'ignore' }).status === 0

/** Throws FolderClosed if the user may not enter a folder, for example below the home of root. */
export const checkFolder = (path: string, user: ServerUser | undefined): void => {
  if (!user || mayEnter(path, user)) return
  throw new FolderClosed(
    `Postgres does not run as root, and other users may not enter ${path}. Set TRELLIS_DATA_DIR to a folder that they may enter (such as one in /var/lib), or run this as another user.`,
  )
}

/**
 * A folder of programs that the user can enter: the folder itself, or else a copy in the folder for temporary files, which
 * is reused. `label` is the name of the copy, with a version.
 */
export const reachableFolder = async (folder: string, label: string, user: ServerUser | undefined): Promise<string> => {
  if (!user || mayEnter(folder, user)) return folder
  const copy = join(tmpdir(), label)
  if (!(await exists(copy))) {
    const unfinished = await mkdtemp(`${copy}-`)
    await cp(folder, join(unfinished, 'copy'), { recursive: true, verbatimSymlinks: true })
    // Another process may have created the copy first; either is fine.
    await rename(join(unfinished, 'copy'), copy).catch(() => undefined)
    await rm(unfinished, { recursive: true, force: true })
  }
  // All users may write to that folder, so the copy under this name may not be ours.
  const { uid, mode } = await lstat(copy)
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new FolderClosed(`${copy} belongs to another user, so its programs are not run. Remove it.`)
  return copy
}

/** Changes the owner of a file or folder to the user. */
export const chownTo = async (path: string, user: ServerUser | undefined): Promise<void> => {
  if (user) await chown(path, user.uid, user.gid)
}
