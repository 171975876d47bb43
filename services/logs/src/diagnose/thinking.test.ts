import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkingFilter, withoutThinking } from './thinking.ts'

test.each([
  ['<think>secret</think>answer', 'answer'],
  ['a<THINKING>\nx\n</THINKING>b', 'ab'],
  ['<reasoning>x</think></reasoning>y', 'y'],
  ['<think>never ends', ''],
  ['2 < 3 and <b>', '2 < 3 and <b>'],
  ['ends with <thi', 'ends with <thi'],
])('%s', (said, shown) => {
  expect(withoutThinking(said)).toBe(shown)
})

test('however the words are cut, the same is shown', () => {
  const said = 'so <think>a < b </thin</think>it <reasoning>is</reasoning>the <disk> <thinking></thinking>end'
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 }), (sizes) => {
      const filter = createThinkingFilter()
      let shown = ''
      let at = 0
      for (const size of sizes) {
        shown += filter.push(said.slice(at, at + size))
        at += size
      }
      expect(shown + filter.push(said.slice(at)) + filter.end()).toBe('so it the <disk> end')
    }),
  )
})
