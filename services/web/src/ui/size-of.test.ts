import { expect, test } from 'vitest'
import { sizeOf } from './size-of.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 KB'],
  [25_000_000, '25 MB'],
])('%d bytes are %s', (bytes, text) => expect(sizeOf(bytes)).toBe(text))
