import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { crc32 } from 'node:zlib'
import { silentLog } from '@trellis/kit/telemetry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawPhoto } from '../../marketplace/demo/photo.ts'
import { distanceBetween, maxDistance } from '../../photo-hashes/hamming.ts'
import type { Pixels } from '../../photo-hashes/perceptual-hash.ts'
import { decodeImage } from './decode-image.ts'
import { createPhotoHasher, type PhotoHasher } from './hasher.ts'

const never = new AbortController().signal
let hasher: PhotoHasher
beforeAll(() => {
  hasher = createPhotoHasher({ log: silentLog })
})
afterAll(() => hasher[Symbol.asyncDispose]())

const hash = (image: Uint8Array) => hasher.hash(image, never)
const fileOf = (name: string) => readFile(createRequire(import.meta.url).resolve(name))

const encodeJpeg = async ({ data, width, height }: Pixels, quality: number): Promise<Uint8Array> => {
  const { default: encode, init } = await import('@jsquash/jpeg/encode.js')
  await init({ wasmBinary: await fileOf('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm') })
  return new Uint8Array(await encode({ data: Uint8ClampedArray.from(data), width, height }, { quality }))
}

const encodeWebp = async ({ data, width, height }: Pixels): Promise<Uint8Array> => {
  const { default: encode, init } = await import('@jsquash/webp/encode.js')
  await init({ wasmBinary: await fileOf('@jsquash/webp/codec/enc/webp_enc.wasm') })
  return new Uint8Array(await encode({ data: Uint8ClampedArray.from(data), width, height }, { quality: 60 }))
}

const photo = async (id: string): Promise<Pixels> => {
  const pixels = await decodeImage(drawPhoto(id))
  if (pixels === undefined) throw new Error('The photo of the demo cannot be decoded.')
  return pixels
}

/** Nearest pixels, so that the sizes of all cells differ. */
const resized = ({ data, width, height }: Pixels, to: { width: number; height: number }): Pixels => {
  const out = new Uint8ClampedArray(to.width * to.height * 4)
  for (let y = 0; y < to.height; y++)
    for (let x = 0; x < to.width; x++) {
      const from = (Math.floor((y * height) / to.height) * width + Math.floor((x * width) / to.width)) * 4
      out.set(data.subarray(from, from + 4), (y * to.width + x) * 4)
    }
  return { data: out, ...to }
}

const brightened = ({ data, ...size }: Pixels, by: number): Pixels => ({
  ...size,
  data: Uint8ClampedArray.from(data, (value, index) => (index % 4 === 3 ? value : Math.min(255, value * by))),
})

describe('the hash of a photo', () => {
  test.each<[string, (pixels: Pixels) => Promise<Uint8Array>]>([
    ['a JPEG of medium quality', (pixels) => encodeJpeg(pixels, 50)],
    ['a WebP', encodeWebp],
    ['a smaller JPEG of another shape', (pixels) => encodeJpeg(resized(pixels, { width: 140, height: 140 }), 75)],
    ['a larger JPEG', (pixels) => encodeJpeg(resized(pixels, { width: 900, height: 700 }), 85)],
    ['a lighter JPEG', (pixels) => encodeJpeg(brightened(pixels, 1.1), 75)],
  ])('is nearly the same for %s', async (_what, encode) => {
    for (const id of ['p1', 'p2', 'p3', 'p4']) {
      const original = (await hash(drawPhoto(id))) ?? ''
      const copy = (await hash(await encode(await photo(id)))) ?? ''
      expect(original).toMatch(/^[0-9a-f]{16}$/)
      expect(distanceBetween(original, copy)).toBeLessThanOrEqual(maxDistance)
    }
  })

  test('differs between photos, and not between a photo and its edited copy', async () => {
    const hashes = await Promise.all(
      Array.from({ length: 60 }, async (_, id) => (await hash(drawPhoto(`p${id}`))) ?? ''),
    )
    for (const [index, one] of hashes.entries()) {
      for (const other of hashes.slice(0, index)) expect(distanceBetween(one, other)).toBeGreaterThan(maxDistance)
      const copy = (await hash(drawPhoto(`p${index}-copy${index}`))) ?? ''
      expect(distanceBetween(one, copy)).toBeLessThanOrEqual(maxDistance)
    }
  })

  test('of a plain surface does not exist, because all of them would match', async () => {
    const plain = { data: new Uint8ClampedArray(100 * 100 * 4).fill(200), width: 100, height: 100 }
    expect(await hash(await encodeJpeg(plain, 80))).toBeNull()
  })

  const chunk = (type: string, content: Buffer): Buffer => {
    const typed = Buffer.concat([Buffer.from(type), content])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    sum.writeUInt32BE(crc32(typed))
    return Buffer.concat([length, typed, sum])
  }
  const header = (width: number, height: number): Buffer => {
    const content = Buffer.alloc(13)
    content.writeUInt32BE(width)
    content.writeUInt32BE(height, 4)
    content.set([8, 2, 0, 0, 0], 8)
    return content
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

  test.each<[string, () => Buffer | Promise<Uint8Array>]>([
    ['claims more pixels than the limit', () => Buffer.concat([signature, chunk('IHDR', header(30_000, 30_000))])],
    ['ends after its header', () => Buffer.concat([signature, chunk('IHDR', header(100, 100))])],
    ['is damaged', () => drawPhoto('p1').fill(7, 300)],
    ['is GIF', () => Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')],
    ['is a page', () => Buffer.from('<!DOCTYPE html>')],
    [
      'is a JPEG in its first bytes only',
      () => Buffer.from('\xff\xd8\xff\xc0\x00\x11\x08\x00\x64\x00\x64\x03junk', 'latin1'),
    ],
  ])('does not exist for a file that %s, and the next photo has one', async (_what, file) => {
    expect(await hash(await file())).toBeNull()
    expect(await hash(drawPhoto('p1'))).toMatch(/^[0-9a-f]{16}$/)
  })

  test('of a photo that exceeds the time limit is a 415, and its process is replaced', async () => {
    await using slow = createPhotoHasher({ log: silentLog, limitMilliseconds: 1 })
    await expect(slow.hash(drawPhoto('p1'), never)).rejects.toMatchObject({ status: 415 })
  })

  test('is not computed for a task that has been stopped', async () => {
    const stop = new AbortController()
    const hashing = hasher.hash(drawPhoto('p1'), stop.signal)
    stop.abort(new Error('stopped'))
    await expect(hashing).rejects.toThrow('stopped')
    expect(await hash(drawPhoto('p1'))).toMatch(/^[0-9a-f]{16}$/)
  })
})
