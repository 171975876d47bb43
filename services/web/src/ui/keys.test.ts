import { expect, test } from 'vitest'
import { keyOf, pressesControl, shownKeys, worksWhileTyping } from './keys.ts'

const pressed = (
  key: string,
  modifiers: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {},
) => keyOf({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers })

test('Ctrl and Command are one key, and shifted letters are letters of their own', () => {
  expect(pressed('k', { metaKey: true })).toBe('Ctrl+K')
  expect(pressed('k', { ctrlKey: true })).toBe('Ctrl+K')
  expect(pressed('E', { shiftKey: true })).toBe('E')
  expect(pressed('ArrowDown', { shiftKey: true })).toBe('Shift+ArrowDown')
  expect(pressed(' ')).toBe('Space')
})

test('fields leave keys with Ctrl or Alt to the page, besides their own undo', () => {
  expect(['Ctrl+K', 'Alt+T', 'Escape', 'j', 'Ctrl+Z'].map(worksWhileTyping)).toEqual([true, true, true, false, false])
})

test('Enter and Space press the control that has the focus', () => {
  const button = { matches: (selector: string) => selector.includes('button') }
  const link = { matches: (selector: string) => selector.includes('a[href]') }
  const other = { matches: () => false }
  const keys = ['Enter', 'Space', 'j']
  expect(keys.map((key) => pressesControl(button, key))).toEqual([true, true, false])
  expect(keys.map((key) => pressesControl(link, key))).toEqual([true, false, false])
  expect([other, null].flatMap((element) => keys.map((key) => pressesControl(element, key)))).not.toContain(true)
})

test('a sequence is shown key by key', () => expect(shownKeys('g ArrowDown')).toEqual(['g', '↓']))
