import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The bytes of objects and buffers that this thread holds on to: what is left of its memory after a collection of garbage. */
export const heldBytes = (): number => {
  // `gc` exists only in contexts that are created after the flag is set.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
