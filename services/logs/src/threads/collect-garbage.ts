import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Flavor = 'last-resort' | 'regular'
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: Flavor }) => void

let collect: Collect | undefined

/** The function that does it is only found in a context made after the flag is set. */
const collectAs = (flavor: Flavor): void => {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', execution: 'sync', flavor })
}

/**
 * Collects all garbage of this thread now and shrinks its heap: what the engine does by itself waits for work that may not come, and
 * keeps the young generation as large as it ever was. Takes 30 to 100 ms by what is alive, so it is for moments when nobody waits.
 */
export const collectGarbage = (): void => collectAs('last-resort')

/** Collects the garbage of this thread once, for whoever goes on: it takes some 60 ms where the other takes 100, and the heap stays as large as it is. */
export const collectOnce = (): void => collectAs('regular')

/**
 * What is to be called now and then, and then collects with `collect` when the heap has grown by so many bytes since. Left to itself the engine
 * lets a heap that was never collected grow to several times what is alive, as long as the thread presses for nothing else.
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
