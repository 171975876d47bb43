import { expect, test } from 'vitest'
import { tokenize } from './tokens.ts'

const textsOf = (text: string) => tokenize(text).map((token) => token.text)

test.each([
  ['größe ÜBER 7', ['größe', 'über', '7']],
  ['发生错误code123', ['发生', '生错', '错误', '误', 'code123']],
  ['エラー、再試行', ['エラ', 'ラー', 'ー', '再試', '試行', '行']],
  ['한국어 로그', ['한국어', '로그']],
  ['𠀀𠀁x', ['𠀀𠀁', '𠀁', 'x']],
  ['⚠️ done✅ ©', ['⚠', 'done', '✅']],
])('the words of %s', (text, words) => {
  expect(textsOf(text)).toEqual(words)
})

test('words have their position in the text, whatever the script', () => {
  for (const text of ['ERROR 7', 'größe 😀 7', 'x发生错误, 𠀀𠀁y']) {
    for (const token of tokenize(text)) expect(text.slice(token.start, token.end).toLowerCase()).toBe(token.text)
  }
})

test('other text does not change the words of scripts with spaces', () => {
  const differing = Array.from({ length: 0xd80 }, (_, index) => String.fromCodePoint(index + 0x80)).filter(
    (character) => {
      const text = `a${character}b ${character}`
      return textsOf(text).join(' ') !== textsOf(`${text} \uffff`).join(' ')
    },
  )
  expect(differing).toEqual([])
})
