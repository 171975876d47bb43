import { expect, test } from 'vitest'
import { matchPath } from './match.ts'

test.each([
  ['/logs', '/logs/', {}],
  ['/logs/incidents/:id', '/logs/incidents/a%2Fb', { id: 'a/b' }],
  ['/logs/incidents/:id', '/logs/incidents', undefined],
  ['/logs/incidents/:id', '/logs/incidents/%E0%A4%A', undefined],
  ['/music/chains/:id', '/logs/chains/1', undefined],
])('%s against %s', (pattern, path, expected) => expect(matchPath(pattern, path)).toEqual(expected))
