import { collectGarbage } from '@trellis/kit/memory'

/** The bytes of objects and buffers that this thread holds on to: what is left of its memory after a collection of garbage. */
export const heldBytes = (): number => {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
