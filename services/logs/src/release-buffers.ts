import { minMapped } from './segments/allocate.ts'

/**
 * Frees the memory of buffers now instead of at the next garbage collection: each batch leaves more than a megabyte of garbage once it is stored,
 * and every few of them would make the collector traverse the whole heap. The buffers can no longer be read.
 */
export const releaseBuffers = (buffers: Iterable<ArrayBuffer>): void => {
  for (const buffer of buffers) buffer.transfer(0)
}

/** Smaller buffers may be slices of Node's buffer pool, which is at most 64 KiB. */
const minOwn = 128 * 1024

/** Frees the memory of a temporary array of which no other view exists. Does nothing where the buffer may be shared or is memory-mapped. */
export const releaseBuffer = ({ buffer }: ArrayBufferView): void => {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength >= minOwn && buffer.byteLength < minMapped
  if (isOwn) releaseBuffers([buffer])
}
