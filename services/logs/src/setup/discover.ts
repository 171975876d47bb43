import { constants } from 'node:fs'
import { access, lstat, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { programFolders } from '../collect/command.ts'
import type { LocalAccess } from '../local-files/local-files.ts'
import { readEnd } from './read-end.ts'
import { type FoundFile, type WalkOptions, walkLogs } from './walk.ts'

export type Discovered = { journald: boolean; docker: boolean; podman: boolean; files: FoundFile[] }

/** Paths at which the log sources of this machine are found. */
export type Locations = {
  journals: readonly string[]
  /** Folders with programs: a journal is read by journalctl, which containers lack. */
  programFolders: readonly string[]
  dockerSockets: readonly string[]
  podmanSockets: readonly string[]
}

const maxFiles = 200
const sniffedBytes = 4_096

/** Sockets of the container engines of this machine and of its user. */
export const usualEngineSockets = (): string[] => {
  const { dockerSockets, podmanSockets } = defaultLocations()
  return [...dockerSockets, ...podmanSockets]
}

/** The usual paths of the system's services and of the user's own container engines. */
export const defaultLocations = (): Locations => {
  const { uid } = userInfo()
  return {
    journals: ['/var/log/journal', '/run/log/journal'],
    programFolders: programFolders(),
    dockerSockets: ['/var/run/docker.sock', `/run/user/${uid}/docker.sock`, join(homedir(), '.docker/run/docker.sock')],
    podmanSockets: ['/run/podman/podman.sock', `/run/user/${uid}/podman/podman.sock`],
  }
}

const some = async (paths: readonly string[], fits: (path: string) => Promise<boolean>): Promise<boolean> => {
  for (const path of paths) if (await fits(path).catch(() => false)) return true
  return false
}
const isFolder = async (path: string) => (await stat(path)).isDirectory()
const isSocket = async (path: string) => (await stat(path)).isSocket()
const isProgram = async (path: string) => {
  await access(path, constants.X_OK)
  return (await stat(path)).isFile()
}

/** Whether this machine has a journal, and the program that reads it. */
export const hasJournal = async ({ journals, programFolders }: Pick<Locations, 'journals' | 'programFolders'>) =>
  (await some(journals, isFolder)) &&
  (await some(
    programFolders.map((folder) => join(folder, 'journalctl')),
    isProgram,
  ))

/** The log sources of this machine. Files are those that can be read, the last modified first. */
export const discover = async (
  roots: readonly string[],
  locations: Locations,
  signal: AbortSignal,
  { open, ...walk }: WalkOptions & Pick<LocalAccess, 'open'>,
): Promise<Discovered> => {
  const { files } = await walkLogs(roots, signal, walk)
  const readable: FoundFile[] = []
  for (const file of files.toSorted((a, b) => b.modifiedAt - a.modifiedAt)) {
    signal.throwIfAborted()
    if (readable.length >= maxFiles) break
    if ((await readEnd(open, file.path, sniffedBytes)) !== undefined) readable.push(file)
  }
  return {
    journald: await hasJournal(locations),
    docker: await some(locations.dockerSockets, isSocket),
    podman: await some(locations.podmanSockets, isSocket),
    files: readable,
  }
}

/** Whether a path exists, also as a dangling link. */
export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
