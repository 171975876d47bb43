import { expect, test } from 'vitest'
import { keyIdOf, seal, sealingKey, unseal } from './seal.ts'

const [first, second] = [sealingKey('a'.repeat(32)), sealingKey('b'.repeat(32))]

test('a secret is decrypted with its name and key, and encrypted differently each time', () => {
  const sealed = seal('jira_token', 'pässword', first)
  expect(sealed).not.toContain('ssword')
  expect(seal('jira_token', 'pässword', first)).not.toBe(sealed)
  expect(unseal('jira_token', sealed, [second, first])).toBe('pässword')
  expect(keyIdOf(sealed)).toBe(first.id)
})

test.each([
  ['another name', 'notion_token', (sealed: string) => sealed, [first]],
  ['another key', 'jira_token', (sealed: string) => sealed, [second]],
  ['a key that claims the same id', 'jira_token', (sealed: string) => sealed, [{ ...second, id: first.id }]],
  [
    'a changed byte',
    'jira_token',
    (sealed: string) => sealed.replace(/.(?=..$)/, (one) => (one === 'A' ? 'B' : 'A')),
    [first],
  ],
  ['something else', 'jira_token', () => 'plain text', [first]],
  ['nothing', 'jira_token', () => '', [first]],
])('with %s it is not decrypted', (_, name, spoil, keys) => {
  expect(unseal(name, spoil(seal('jira_token', 'secret', first)), keys)).toBeUndefined()
})
