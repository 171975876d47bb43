import type { Blocks } from './blocks.ts'

const scribble = (block: ArrayBuffer): ArrayBuffer => {
  new Uint8Array(block).fill(0xa5)
  return block
}

/** Memory that is never clean when it is taken, and spoilt as soon as it is given back: whoever still reads it, or never wrote it, is found out. */
export const scribbledBlocks: Blocks = {
  take: (bytes) => scribble(new ArrayBuffer(bytes)),
  giveBack: (block) => void scribble(block),
  forget: () => undefined,
}
