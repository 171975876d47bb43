import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Pixels } from '../../photo-hashes/perceptual-hash.ts'
import { type ImageType, imageSizeOf, imageTypeOf } from '../../photos/image-type.ts'

/** Images with more pixels are not decoded: 24 megapixels take about 300 MB. */
export const maxPixels = 24_000_000

type Decode = (bytes: ArrayBuffer) => Promise<Pixels>

const fileOf = (name: string): Promise<Buffer> => readFile(createRequire(import.meta.url).resolve(name))

/** The result type of the decoders, which only browsers have. */
class PlainImageData {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
}

/** Loads the decoder of a format. They are WebAssembly: an image can crash its decoder, but not read or write anything else. */
const loaders: Partial<Record<ImageType, () => Promise<Decode>>> = {
  'image/jpeg': async () => {
    const { default: decode, init } = await import('@jsquash/jpeg/decode.js')
    await init({ wasmBinary: await fileOf('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm') })
    return decode
  },
  'image/png': async () => {
    const { default: decode, init } = await import('@jsquash/png/decode.js')
    await init(await fileOf('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'))
    return decode
  },
  'image/webp': async () => {
    const { default: decode, init } = await import('@jsquash/webp/decode.js')
    await init({ wasmBinary: await fileOf('@jsquash/webp/codec/dec/webp_dec.wasm') })
    return decode
  },
}

const loaded = new Map<ImageType, Promise<Decode>>()

/** Decodes a JPEG, PNG or WebP image. Undefined for other formats, images that are too large, and those that cannot be decoded. */
export const decodeImage = async (bytes: Uint8Array): Promise<Pixels | undefined> => {
  const type = imageTypeOf(bytes)
  const load = type === undefined ? undefined : loaders[type]
  const size = type === undefined ? undefined : imageSizeOf(bytes, type)
  if (type === undefined || load === undefined || size === undefined || size.width * size.height > maxPixels)
    return undefined
  if (!('ImageData' in globalThis)) Reflect.set(globalThis, 'ImageData', PlainImageData)
  const loading = loaded.get(type) ?? load()
  loaded.set(type, loading)
  const decode = await loading
  try {
    return await decode(Uint8Array.from(bytes).buffer)
  } catch {
    // Emscripten throws pointers and numbers. A decoder that has failed may be in any state.
    loaded.delete(type)
    return undefined
  }
}
