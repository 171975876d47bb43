import { propertyRuns } from '@trellis/test/support/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkingFilter, type ShownText, withoutThinking } from './thinking-filter.ts'

test.each([
  ['<think>secret</think>answer', 'answer'],
  ['a<THINKING>\nx\n</THINKING>b', 'ab'],
  ['<reasoning>x</think></reasoning>y', 'y'],
  ['<think>never ends', ''],
  ['2 < 3 and <b>', '2 < 3 and <b>'],
  ['ends with <thi', 'ends with <thi'],
  ['thoughts</think>Answer', 'Answer'],
  ['a\n</thinking >\nAnswer', 'Answer'],
  ['<think>x</think>Answer</think> and more', 'Answer and more'],
  ['<think type="x">secret</think>answer', 'answer'],
  ['<thinker>stays</thinker>', '<thinker>stays</thinker>'],
  ['<think>a<think>b</think>still hidden?</Think>answer', 'answer'],
  ['<think>I could write <think> here</think>answer', 'answer'],
  ['Use `<think>` tags in code', 'Use `<think>` tags in code'],
  ['Use `<think>` and `</think>` in code', 'Use `<think>` and `</think>` in code'],
  ['Use <think> tags in code', 'Use <think> tags in code'],
  ['Answer\n  <think>never ends', 'Answer'],
])('%s', (reply, shown) => {
  expect(withoutThinking(reply)).toBe(shown)
})

test('only what may be a tag is held back', () => {
  const filter = createThinkingFilter()
  expect(filter.push('a < b, <b> and <disk')).toEqual({ text: 'a < b, <b> and <disk', replaces: false })
  expect(filter.push(' or <thin')).toEqual({ text: ' or ', replaces: false })
  expect(filter.push('g')).toEqual({ text: '<thing', replaces: false })
})

test('an end without a start takes back what was shown', () => {
  const filter = createThinkingFilter()
  expect(filter.push('thoughts')).toEqual({ text: 'thoughts', replaces: false })
  expect(filter.push('</think>Answer')).toEqual({ text: 'Answer', replaces: true })
})

test.each([
  [
    'so <think>a < b </thin</think>it <reasoning>is</reasoning>the <disk> <thinking></thinking>end',
    'so it the <disk> end',
  ],
  ['some thoughts, with `</think>` in them, of a model</think>the answer, <think', 'the answer, <think'],
  [
    '<think a="b">one <think>two</think> three</think>the answer, `<think>` and <thinking> and',
    'the answer, `<think>` and <thinking> and',
  ],
])('however the words of "%s" are cut, the same is shown', (reply, expected) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 }), (sizes) => {
      const filter = createThinkingFilter()
      let shown = ''
      let at = 0
      const add = ({ text, replaces }: ShownText) => {
        shown = replaces ? text : shown + text
      }
      for (const size of sizes) {
        add(filter.push(reply.slice(at, at + size)))
        at += size
      }
      add(filter.push(reply.slice(at)))
      add(filter.end())
      expect(shown).toBe(expected)
    }),
    propertyRuns(),
  )
})
