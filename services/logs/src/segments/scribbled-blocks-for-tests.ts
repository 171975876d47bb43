import type { Blocks } from './blocks.ts'

const scribble = (block: ArrayBuffer): ArrayBuffer => {
  new Uint8Array(block).fill(0xa5)
  return block
}

/** Blocks that contain garbage when taken and are overwritten when freed, which exposes reads of uninitialised or freed memory. */
export const scribbledBlocks: Blocks = {
  take: (bytes) => scribble(new ArrayBuffer(bytes)),
  free: (block) => void scribble(block),
  clear: () => undefined,
}
