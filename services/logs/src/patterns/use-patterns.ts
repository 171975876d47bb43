import type { Log } from '@trellis/kit/telemetry'
import { usePatterns } from './in-force.ts'
import { libraryPatterns } from './library/mod.ts'
import { type LoadedPatterns, loadPatterns } from './load-patterns.ts'

/**
 * Reads the patterns of a folder, which need not be there, and puts them to use in this process until it is disposed of. What is faulty is
 * told of in the log and left out. Before any thread that tags entries is made: it takes those that are in force then.
 */
export const openPatterns = async ({
  directory,
  log,
}: {
  directory: string
  log: Log
}): Promise<LoadedPatterns & Disposable> => {
  const loaded = await loadPatterns(directory)
  for (const { file, problem } of loaded.problems) log.warn({ file, problem }, 'a pattern is not used')
  usePatterns(loaded.patterns)
  return { ...loaded, [Symbol.dispose]: () => usePatterns(libraryPatterns) }
}
