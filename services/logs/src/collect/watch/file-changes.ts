import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'

/** Receives changes in folders from the operating system; changes that it does not report are found by polling. */
export type FileChanges = Disposable & {
  /** Replaces the watched folders. */
  watch: (folders: Iterable<string>) => void
}

/** The maximum number of watches; further folders are only polled. */
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
      // The folder was removed, or the system has no watches left: polling finds its files.
      watcher.on('error', () => leave(folder))
      watchers.set(folder, watcher)
    } catch {
      // As above.
    }
  }
  return {
    watch: (folders) => {
      const desired = new Set([...folders].slice(0, maxFolders))
      for (const folder of watchers.keys()) if (!desired.has(folder)) leave(folder)
      for (const folder of desired) if (!watchers.has(folder)) enter(folder)
    },
    [Symbol.dispose]: () => {
      for (const folder of watchers.keys()) leave(folder)
    },
  }
}
