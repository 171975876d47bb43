import { expect, test } from 'vitest'
import { draftOf } from './drafts.ts'

test.each([
  ['/var/log/nginx/error.log', 'nginx-error.log'],
  ['/srv/my app/a.log', 'srv-my-app-a.log'],
  ['/', 'file'],
])('the source of %s is called %s', (path, id) => expect(draftOf(path)).toMatchObject({ id, path, glean_type: 'file' }))
