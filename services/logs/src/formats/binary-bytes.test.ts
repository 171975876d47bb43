import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isNoText, looksBinary } from './binary-bytes.ts'

const fix =
  '8=FIX.4.2\u00019=65\u000135=A\u000149=SERVER\u000156=CLIENT\u000134=177\u000152=20090107-18:15:16\u000198=0\u0001108=30\u000110=062\u0001\n'

describe('bytes are taken for a text', () => {
  test.each<[string, Buffer]>([
    ['in UTF-8', Buffer.from('größer als erlaubt\n'.repeat(50))],
    ['in UTF-8 that is cut within a character', Buffer.from('ü'.repeat(100)).subarray(0, 151)],
    ['in Latin-1', Buffer.from('Gerät für Übertragung ungültig\n'.repeat(50), 'latin1')],
    ['in Shift JIS', Buffer.from('8365835883678f88979d82c98e8e94732e0a'.repeat(20), 'hex')],
    ['with colours', Buffer.from('\u001b[31merror\u001b[0m\n'.repeat(50))],
    ['with the separators of FIX', Buffer.from(fix.repeat(20))],
    ['in Latin-1 after a hole', Buffer.concat([Buffer.alloc(3_000), Buffer.from('Übung\n'.repeat(50), 'latin1')])],
    ['with a few bytes of noise', Buffer.concat([Buffer.from([0xff, 0, 1, 2, 3]), Buffer.from('line\n'.repeat(60))])],
    ['that has nothing in it', Buffer.alloc(0)],
  ])('%s', (_, bytes) => {
    expect(isNoText(bytes)).toBe(false)
  })
})

describe('bytes are taken for no text', () => {
  test.each<[string, Buffer]>([
    ['random', randomBytes(4_096)],
    ['compressed', gzipSync(randomBytes(4_096)).subarray(2)],
    [
      'of a program',
      Buffer.concat([Buffer.from('7f454c460201010000000000000000000300b700010000', 'hex'), Buffer.alloc(40)]),
    ],
  ])('%s', (_, bytes) => {
    expect(looksBinary(bytes)).toBe(true)
  })

  test('for sure when they are random', () => {
    for (let round = 0; round < 200; round++) expect(isNoText(randomBytes(512))).toBe(true)
  })
})
