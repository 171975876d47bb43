import type { Stats } from 'node:fs'
import { constants, type FileHandle, open, readlink, realpath, stat, statfs } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/**
 * Where a path leads once all links are followed; of what does not exist, the part that does. Undefined where links lead in a circle.
 */
export const realPlaceOf = async (path: string): Promise<string | undefined> => {
  const whole = resolve(path)
  for (let at = path; ; at = dirname(resolve(at))) {
    try {
      return join(await realpath(at), relative(resolve(at), whole))
    } catch (error) {
      if (codeOf(error) === 'ELOOP' || dirname(resolve(at)) === resolve(at)) return undefined
    }
  }
}

/** File systems that the kernel makes up, wherever they are mounted: a container often has the host's /proc at /host/proc. statfs(2). */
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

/** An opened regular file and where it really lies. */
export type OpenedFile = { handle: FileHandle; stats: Stats; path: string; isOfKernel: boolean }

/** Linux names what a descriptor is open on; null elsewhere, and where /proc is not mounted. */
const placeByDescriptor = async (handle: FileHandle): Promise<string | null> => {
  const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
  return place === null ? null : place.replace(/ \(deleted\)$/, '')
}

/** Elsewhere: where the path leads now, if that is still the opened file. */
const placeByPath = async (path: string, { dev, ino }: Stats): Promise<string | null> => {
  const place = await realpath(path)
  const there = await stat(place)
  return there.dev === dev && there.ino === ino ? place : null
}

const isOnKernelFileSystem = async (handle: FileHandle, path: string): Promise<boolean> => {
  const found = await statfs(`/proc/self/fd/${handle.fd}`).catch(() => statfs(path))
  return kernelFileSystems.has(found.type)
}

/**
 * Opens a regular file and tells where it lies, by the descriptor: nothing that happens to the path meanwhile changes what was judged.
 * Undefined for what is no regular file, or has been replaced meanwhile. Does not wait for the writer of a pipe, and opens no device.
 */
export const openInPlace = async (path: string): Promise<OpenedFile | undefined> => {
  if (!(await stat(path)).isFile()) return undefined
  await using opened = new AsyncDisposableStack()
  const handle = opened.use(
    await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)),
  )
  const stats = await handle.stat()
  if (!stats.isFile()) return undefined
  const place = (await placeByDescriptor(handle)) ?? (await placeByPath(path, stats))
  if (place === null) return undefined
  const isOfKernel = process.platform !== 'win32' && (await isOnKernelFileSystem(handle, path))
  opened.move()
  return { handle, stats, path: place, isOfKernel }
}
