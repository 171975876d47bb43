import { expect, test } from 'vitest'
import { withoutValues } from './without-values.ts'

test.each([
  ['Failed password for root from 192.0.2.7 port 37033 ssh2', 'Failed password for root from address port 0 ssh0'],
  ['Deleting block blk_-1608999687919862906 file /data/7', 'Deleting block blk_-0 file /data/0'],
  ['request 3f2b8a5e-0c1d-4e6f-8a9b-0123456789ab took 3.25 s', 'request id took 0 s'],
  ['at  0x00007ffe\nof deadbeef01', 'at number of id'],
  ['peer fe80:0:0:0:1:2:3:4 gone', 'peer address gone'],
  ['facade decade', 'facade decade'],
])('lines of one kind are masked to the same text: %s', (line, masked) => {
  expect(withoutValues(line)).toBe(masked)
})
