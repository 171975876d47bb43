import { expect, test } from 'vitest'
import { docLimits } from './docs.ts'
import { decodeText, readUploadedDocs } from './read-upload.ts'

type File = { filename: string; content: Uint8Array | string }

const read = (files: File[], parameters: { title?: string; tags?: string } = {}) => {
  async function* parts() {
    yield { kind: 'field' as const, name: 'colour', value: 'blue' }
    for (const { filename, content } of files) {
      const bytes = Buffer.from(content as string)
      async function* chunks() {
        for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
      }
      yield { kind: 'file' as const, name: 'file', filename, mediaType: 'text/plain', content: chunks() }
    }
  }
  return readUploadedDocs({ parameters, parts: parts() })
}

test('the title of a file is that of the form, its first heading, or its name', async () => {
  const file = { filename: 'restore.md', content: 'Intro\n\n# Restoring #\n\nStop it.' }
  expect(await read([file], { title: 'From the form', tags: 'a, b' })).toEqual([
    { title: 'From the form', text: file.content, tags: ['a', ' b'] },
  ])
  const several = await read([file, { filename: 'docs/network.txt', content: 'VLANs' }], { title: 'of one file' })
  expect(several.map(({ title }) => title)).toEqual(['Restoring', 'network'])
})

test('UTF-8 and UTF-16 are decoded, with or without a byte order mark', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')])
  expect(decodeText(utf16, 'x')).toBe('Grüße')
  expect(decodeText(Buffer.from('\ufeffGrüße'), 'x')).toBe('Grüße')
})

test.each<[string, File[], string]>([
  ['no file', [], 'invalid'],
  ['another kind of file', [{ filename: 'notes.pdf', content: '%PDF' }], 'unsupported_media'],
  [
    'bytes that are not text',
    [{ filename: 'notes.txt', content: Buffer.from([0x66, 0xff, 0xc3]) }],
    'unsupported_media',
  ],
  ['a program with another extension', [{ filename: 'notes.txt', content: 'MZ\0\0' }], 'unsupported_media'],
  ['a file past the limit', [{ filename: 'a.txt', content: 'x'.repeat(docLimits.characters * 4 + 5) }], 'too_large'],
  ['too many files', Array.from({ length: 51 }, () => ({ filename: 'a.txt', content: 'x' })), 'too_large'],
])('%s is refused', async (_, files, kind) => {
  await expect(read(files)).rejects.toMatchObject({ kind })
})
