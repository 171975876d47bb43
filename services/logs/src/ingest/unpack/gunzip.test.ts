import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzip } from './gunzip.ts'

const read = async (packed: Buffer): Promise<string> => {
  const chunks = async function* () {
    for (let at = 0; at < packed.length; at += 4_096) yield packed.subarray(at, at + 4_096)
  }
  let text = ''
  for await (const chunk of gunzip(chunks())) text += Buffer.from(chunk).toString()
  return text
}
const members = (count: number, content: string) => Buffer.concat(Array(count).fill(gzipSync(content)))

test('one member per line is read, however many there are', async () => {
  const line = '2026-03-01T09:00:00Z INFO the shelf is full\n'
  expect(await read(members(3_000, line))).toBe(line.repeat(3_000))
})

test('empty members are read, up to a limit', async () => {
  expect(await read(Buffer.concat([members(500, ''), gzipSync('end')]))).toBe('end')
  await expect(read(members(3_000, ''))).rejects.toThrow('too many members with hardly any content')
})
