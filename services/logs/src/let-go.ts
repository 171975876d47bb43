import { minMapped } from './segments/allocate.ts'

/**
 * Gives back the memory of buffers now, instead of when they are collected: each batch brings more than a megabyte that is dead once it has
 * been kept, and for every few of them the collector goes through the whole heap. The buffers can no longer be read.
 */
export const letGo = (buffers: Iterable<ArrayBuffer>): void => {
  for (const buffer of buffers) buffer.transfer(0)
}

/** Smaller buffers may be pieces of a pool of Node's, which is of at most 64 KiB. */
const minOwn = 128 * 1024

/** Gives back the memory of what was made for a moment, and of which nobody has kept a part. Does nothing where it might be shared, or is mapped. */
export const letGoOf = ({ buffer }: ArrayBufferView): void => {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength >= minOwn && buffer.byteLength < minMapped
  if (isOwn) letGo([buffer])
}
