import type { Stats } from 'node:fs'
import { constants, type FileHandle, open, readlink, realpath, stat, statfs } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/**
 * The target of a path with all links resolved; if it does not exist, resolves the part that does. Undefined for circular links.
 */
export const realPathOf = async (path: string): Promise<string | undefined> => {
  const whole = resolve(path)
  for (let at = path; ; at = dirname(resolve(at))) {
    try {
      return join(await realpath(at), relative(resolve(at), whole))
    } catch (error) {
      if (codeOf(error) === 'ELOOP' || dirname(resolve(at)) === resolve(at)) return undefined
    }
  }
}

/** Virtual file systems of the kernel, wherever they are mounted: containers often have the host's /proc at /host/proc. statfs(2). */
const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0x1cd1, // devpts
  0xcafe4a11, // bpf
  0xf97cff8c, // selinux
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x6e736673, // nsfs
])

/** An opened regular file and its real path. */
export type OpenedFile = { handle: FileHandle; stats: Stats; path: string; isOfKernel: boolean }

/** Linux reports the path of a descriptor; null on other systems, and if /proc is not mounted. */
const pathOfDescriptor = async (handle: FileHandle): Promise<string | null> => {
  const target = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  return target === null ? null : target.replace(/ \(deleted\)$/, '')
}

/** On other systems: the current target of the path, if it is still the opened file. */
const confirmedPath = async (path: string, { dev, ino }: Stats): Promise<string | null> => {
  const target = await realpath(path)
  const found = await stat(target)
  return found.dev === dev && found.ino === ino ? target : null
}

const isOnKernelFileSystem = async (handle: FileHandle, path: string): Promise<boolean> => {
  const kind = await statfs(`/proc/self/fd/${handle.fd}`).catch(() => statfs(path))
  return kernelFileSystems.has(kind.type)
}

/**
 * Opens a regular file and determines its path by the descriptor, so that concurrent changes of the path do not affect the check. Undefined if it
 * is not a regular file or was replaced meanwhile. Neither waits for the writer of a pipe nor opens a device.
 */
export const openRegularFile = async (path: string): Promise<OpenedFile | undefined> => {
  if (!(await stat(path)).isFile()) return undefined
  await using opened = new AsyncDisposableStack()
  const handle = opened.use(
    await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)),
  )
  const stats = await handle.stat()
  if (!stats.isFile()) return undefined
  const target = (await pathOfDescriptor(handle)) ?? (await confirmedPath(path, stats))
  if (target === null) return undefined
  const isOfKernel = process.platform !== 'win32' && (await isOnKernelFileSystem(handle, path))
  opened.move()
  return { handle, stats, path: target, isOfKernel }
}
