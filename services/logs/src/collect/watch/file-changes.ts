import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** Hears of changes in folders, as far as the system tells of them; what it does not tell of is found by looking. */
export type FileChanges = Disposable & {
  /** Which folders count from now on. */
  watch: (folders: Iterable<string>) => void
}

/** The system has room for so many; the others are looked at. */
const maxFolders = 1_000

export const createFileChanges = (onChange: (path: string) => void): FileChanges => {
  const watchers = new Map<string, FSWatcher>()
  const leave = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const enter = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) =>
        onChange(name === null ? folder : join(folder, name)),
      )
      // A folder that is gone, or a system that has no more to give: the next look finds what there is.
      watcher.on('error', () => leave(folder))
      watchers.set(folder, watcher)
    } catch {
      // As above.
    }
  }
  return {
    watch: (folders) => {
      const wanted = new Set([...folders].slice(0, maxFolders))
      for (const folder of watchers.keys()) if (!wanted.has(folder)) leave(folder)
      for (const folder of wanted) if (!watchers.has(folder)) enter(folder)
    },
    [Symbol.dispose]: () => {
      for (const folder of watchers.keys()) leave(folder)
    },
  }
}
