import type { Log } from '@trellis/kit/telemetry'
import { silentLog } from '@trellis/kit/telemetry'
import { expect, test } from 'vitest'
import { connectionLimit } from './connection-limit.ts'

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             95000                95000                processes
Max open files            ${soft.padEnd(21)}1048576              files
`

const limitWith = async (maxConnections: number, text: string | Error) => {
  const warnings: object[] = []
  const log: Log = { ...silentLog, warn: (fields) => void warnings.push(fields) }
  const read = async () => {
    if (text instanceof Error) throw text
    return text
  }
  return { limit: await connectionLimit(maxConnections, log, read), warnings }
}

test('connections take three quarters of the files that the process may open, and a warning has both numbers', async () => {
  expect(await limitWith(20_000, limits('1024'))).toEqual({
    limit: 768,
    warnings: [{ maxConnections: 20_000, lowered: 768, openFiles: 1_024 }],
  })
})

test.each([
  ['there are enough files', limits('1048576')],
  ['there is no limit of files', limits('unlimited')],
  ['the system tells no limit', new Error('ENOENT')],
])('the limit stays where %s', async (_name, text) => {
  expect(await limitWith(20_000, text)).toEqual({ limit: 20_000, warnings: [] })
})

test('a limit that is lowered and ample all the same is no warning', async () => {
  expect(await limitWith(20_000, 'Max open files            20000                20000                files')).toEqual({
    limit: 15_000,
    warnings: [],
  })
})
