import { serveWork } from '@trellis/kit/workloads'
import { perceptualHash } from '../../photo-hashes/perceptual-hash.ts'
import { decodeImage } from './decode-image.ts'

// A process of its own, since images are untrusted: its parent limits its memory and its time. The result is the hash, or empty without one.
serveWork(async ({ input }) => {
  const pixels = await decodeImage(input)
  return Buffer.from((pixels && perceptualHash(pixels)) ?? '')
})
