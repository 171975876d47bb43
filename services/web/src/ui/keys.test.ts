import { expect, test } from 'vitest'
import { keyOf, shownKeys, worksWhileTyping } from './keys.ts'

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

test('fields leave keys with Ctrl or Alt to the page', () => {
  expect(['Ctrl+K', 'Alt+T', 'Escape', 'j'].map(worksWhileTyping)).toEqual([true, true, true, false])
})

test('a sequence is shown key by key', () => expect(shownKeys('g ArrowDown')).toEqual(['g', '↓']))
