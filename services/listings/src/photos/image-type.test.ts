import { describe, expect, test } from 'vitest'
import { drawPhoto } from '../marketplace/demo/photo.ts'
import { imageSizeOf, imageTypeOf } from './image-type.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

describe('the type of an image', () => {
  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0\x00\x10JFIF'],
    ['image/png', '\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR'],
    ['image/gif', 'GIF89a\x01\x00\x01\x00'],
    ['image/webp', 'RIFF\x24\x00\x00\x00WEBPVP8 '],
    ['image/avif', '\x00\x00\x00\x20ftypavif\x00\x00\x00\x00'],
  ])('is %s by its first bytes', (type, content) => {
    expect(imageTypeOf(bytes(content))).toBe(type)
  })

  test.each([
    ['SVG, which can contain scripts', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['SVG after a declaration', '<?xml version="1.0"?><svg/>'],
    ['a page', '<!DOCTYPE html><html></html>'],
    ['another RIFF file', 'RIFF\x24\x00\x00\x00WAVEfmt '],
    ['a film in the container of AVIF', '\x00\x00\x00\x20ftypisom'],
    ['a beginning that is too short', '\xff\xd8'],
    ['nothing', ''],
  ])('is unknown for %s', (_what, content) => {
    expect(imageTypeOf(bytes(content))).toBeUndefined()
  })
})

describe('the size of an image', () => {
  test.each([
    ['a PNG', 'image/png', drawPhoto('a'), { width: 240, height: 180 }],
    [
      'a JPEG with a table before its frame',
      'image/jpeg',
      bytes('\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc4\x00\x03x\xff\xc2\x00\x11\x08\x02\x58\x03\x20\x03'),
      { width: 800, height: 600 },
    ],
    [
      'a lossy WebP',
      'image/webp',
      bytes(`RIFF\x24\x00\x00\x00WEBPVP8 ${'\0'.repeat(10)}\x20\x03\x58\x02`),
      { width: 800, height: 600 },
    ],
    [
      'a lossless WebP',
      'image/webp',
      bytes(`RIFF\x24\x00\x00\x00WEBPVP8L\0\0\0\0\x2f\x1f\xc3\x95\x00${'\0'.repeat(6)}`),
      { width: 800, height: 600 },
    ],
    [
      'an extended WebP',
      'image/webp',
      bytes(`RIFF\x24\x00\x00\x00WEBPVP8X${'\0'.repeat(8)}\x1f\x03\x00\x57\x02\x00`),
      { width: 800, height: 600 },
    ],
  ] as const)('is read from the header of %s', (_what, type, content, size) => {
    expect(imageSizeOf(content, type)).toEqual(size)
  })

  test.each([
    ['a JPEG without a frame', 'image/jpeg', '\xff\xd8\xff\xe0\x00\x04ab'],
    ['a JPEG whose segments never end', 'image/jpeg', `\xff\xd8${'\xff'.repeat(40)}`],
    ['a JPEG with a segment of length 0', 'image/jpeg', `\xff\xd8\xff\xe0\x00\x00${'\0'.repeat(20)}`],
    ['a truncated PNG', 'image/png', '\x89PNG\r\n\x1a\n'],
    ['a PNG of no width', 'image/png', `\x89PNG\r\n\x1a\n${'\0'.repeat(16)}`],
    ['a truncated WebP', 'image/webp', 'RIFF\x24\x00\x00\x00WEBPVP8X'],
    ['a format that is not compared', 'image/gif', 'GIF89a\x01\x00\x01\x00'],
  ] as const)('is unknown for %s', (_what, type, content) => {
    expect(imageSizeOf(bytes(content), type)).toBeUndefined()
  })
})
