import { expect, test } from 'vitest'
import { refusalOfUpstream } from './upstream.ts'

test.each([
  'http://169.254.169.254/v1',
  'http://[fe80::1]/v1',
  'http://[::ffff:169.254.169.254]/v1',
  'http://[fd00:ec2::254]/',
  'http://2852039166/',
  'ftp://192.0.2.1/',
])('%s is refused', async (address) => {
  expect(await refusalOfUpstream(new URL(address))).toBeTypeOf('string')
})

test.each(['http://127.0.0.1:11434/v1', 'http://192.168.1.7/v1', 'http://localhost/v1'])(
  '%s is allowed',
  async (address) => {
    expect(await refusalOfUpstream(new URL(address))).toBeUndefined()
  },
)
