import { expect, test } from 'vitest'
import { draftOf, sizeOf } from './drafts.ts'

test.each([
  ['/var/log/nginx/error.log', 'nginx-error.log'],
  ['/srv/my app/a.log', 'srv-my-app-a.log'],
  ['/', 'file'],
])('the source of %s is called %s', (path, id) => expect(draftOf(path)).toMatchObject({ id, path, glean_type: 'file' }))

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 KB'],
  [25_000_000, '25 MB'],
])('%d bytes are %s', (bytes, text) => expect(sizeOf(bytes)).toBe(text))
