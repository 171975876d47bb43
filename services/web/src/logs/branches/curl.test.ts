import { expect, test } from 'vitest'
import { curlOf } from './curl.ts'

test('the command quotes what a shell would read', () => {
  const command = curlOf({ submit_endpoint: "https://x.test/a'b", api_key: 'k' })
  expect(command).toContain(`curl 'https://x.test/a'\\''b'`)
  expect(command).toContain("-H 'Authorization: Bearer k'")
})
