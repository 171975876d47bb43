import { expect, test } from 'vitest'
import { knownFormatNames } from './active-formats.ts'
import { nearestNames } from './nearest-names.ts'

test.each([
  ['nginx_error', 'nginx-error'],
  ['ngnix-error', 'nginx-error'],
  ['Nginx', 'nginx-error'],
  ['syslog', 'syslog-iso'],
  ['log4', 'log4j'],
  ['nginks', 'nginx-error'],
  ['postgress', 'postgres'],
])('whoever asks for "%s" is told of %s', (wanted, expected) => {
  const near = nearestNames(wanted, knownFormatNames())
  expect(near).toContain(expected)
  expect(near.length).toBeLessThanOrEqual(5)
})

test('what is like no name has no near one', () => {
  expect(nearestNames('zzzzzzzzqqqq', knownFormatNames())).toEqual([])
})
