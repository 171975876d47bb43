import type { Log } from '@trellis/kit/telemetry'
import { usePatterns } from './active-patterns.ts'
import { libraryPatterns } from './library/mod.ts'
import { type LoadedPatterns, loadPatterns } from './load-patterns.ts'

/**
 * Loads the patterns of a folder, which may be missing, and uses them in this process until disposal. Invalid patterns are logged and omitted.
 * Must run before the threads that tag entries start, since they take the patterns in use at that time.
 */
export const openPatterns = async ({
  directory,
  log,
}: {
  directory: string
  log: Log
}): Promise<LoadedPatterns & Disposable> => {
  const loaded = await loadPatterns(directory)
  for (const { file, problem } of loaded.problems) log.warn({ file, problem }, 'a pattern is invalid and not used')
  usePatterns(loaded.patterns)
  return { ...loaded, [Symbol.dispose]: () => usePatterns(libraryPatterns) }
}
