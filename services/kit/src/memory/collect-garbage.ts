import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Flavor = 'last-resort' | 'regular'
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: Flavor }) => void

let collect: Collect | undefined

/** `gc` exists only in contexts that are created after the flag is set. */
const collectAs = (flavor: Flavor): void => {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', execution: 'sync', flavor })
}

/**
 * Collects all garbage of this thread synchronously and shrinks its heap. V8's own collection waits for allocations that may not come, and does
 * not shrink the young generation. Takes 30 to 100 ms depending on the live objects, so it is for idle moments.
 */
export const collectGarbage = (): void => collectAs('last-resort')

/** Collects the garbage of this thread once, between two pieces of work: some 60 ms where `collectGarbage` takes 100, and the heap size stays. */
export const collectOnce = (): void => collectAs('regular')

/**
 * Returns a check to call periodically; it runs `collect` when the heap has grown by more than `bytes` since the last collection. Without it V8
 * lets a heap that was never collected grow to several times its live size, as long as no other thread needs memory.
 */
export const createGrowthCheck = (bytes: number, collect: () => void): (() => void) => {
  const usedBytes = () => getHeapStatistics().used_heap_size
  let before = usedBytes()
  return () => {
    if (usedBytes() - before < bytes) return
    collect()
    before = usedBytes()
  }
}
