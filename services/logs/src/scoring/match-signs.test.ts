import { describe, expect, test } from 'vitest'
import { wordsOf } from '../segments/tokens.ts'
import { attackSigns, matchSigns } from './match-signs.ts'

const labelsOf = (text: string) => matchSigns(text).map(({ label }) => label)

describe('signs of attacks', () => {
  test.each(attackSigns.flatMap((sign) => sign.samples.matches.map((line) => [sign.label, line, sign] as const)))(
    '%s is found in its line: %s',
    (label, line, sign) => {
      expect(labelsOf(line)).toContain(label)
      // A search by words is what brings the line here.
      expect(wordsOf(line).some((word) => sign.words.includes(word))).toBe(true)
    },
  )

  test.each(attackSigns.map(({ label, samples }) => [label, samples.passes] as const))(
    '%s leaves alone what looks alike',
    (label, line) => {
      expect(labelsOf(line)).not.toContain(label)
    },
  )

  test('what is encoded twice is read as a server would', () => {
    expect(labelsOf('"GET /item?id=1%2527%2520OR%25201=1 HTTP/1.1" 200')).toContain('sql_injection')
  })

  test('what a server made safe to show before it logged it is read as it was sent', () => {
    expect(labelsOf('"POST /log?text=&lt;script src=x&gt; HTTP/1.1" 200')).toContain('cross_site_scripting')
  })

  test('pictures behind a program are no confusion, nor a name in an ordinary text', () => {
    expect(labelsOf('"GET /bundle.php/v1/a/style.css HTTP/1.1" 200')).toEqual([])
    expect(labelsOf(`verified 'identifier "net.example" and certificate leaf = "7"'`)).toEqual([])
  })

  test('bytes that are no text break nothing', () => {
    expect(labelsOf('"GET /%ff%fe%c0%ae%c0%ae/x HTTP/1.1" 400')).toContain('path_traversal')
  })

  test('a line of a megabyte that is made to be slow holds nobody up', { timeout: 30_000 }, () => {
    for (const piece of [
      '${',
      "' or ",
      '../',
      '<svg ',
      '=<svg',
      '%2e',
      '; ',
      '=;',
      '() { ',
      'union/**/',
      '/vendor/phpunit/',
      'mkfifo ',
    ])
      expect(() => matchSigns(piece.repeat(Math.ceil(1_000_000 / piece.length)))).not.toThrow()
  })
})
