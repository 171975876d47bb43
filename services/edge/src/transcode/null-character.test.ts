import { expect, test } from 'vitest'
import { nullCharacterIn } from './null-character.ts'

test.each([
  [{ params: { id: 'a\0' }, query: { q: 'b\0' }, body: undefined }, ['path', 'id']],
  [{ params: {}, query: { q: '\0' }, body: undefined }, ['query', 'q']],
  [
    { params: {}, query: {}, body: { name: 'x', sellers: [{ username: 'a' }, { username: '\0' }] } },
    ['body', 'sellers', 1, 'username'],
  ],
  [{ params: {}, query: {}, body: { name: 'x', left: null, count: 3 } }, undefined],
  [{ params: {}, query: {}, body: undefined }, undefined],
])('the first U+0000 of %j is at %j', (request, location) => expect(nullCharacterIn(request)).toEqual(location))
