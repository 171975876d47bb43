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

test('the limit is three quarters of the open files limit, and a warning contains both numbers', async () => {
  expect(await limitWith(20_000, limits('1024'))).toEqual({
    limit: 768,
    warnings: [{ maxConnections: 20_000, lowered: 768, openFiles: 1_024 }],
  })
})

test.each([
  ['the open files limit is high enough', limits('1048576')],
  ['open files are unlimited', limits('unlimited')],
  ['the limits cannot be read', new Error('ENOENT')],
])('the limit is not lowered when %s', async (_name, text) => {
  expect(await limitWith(20_000, text)).toEqual({ limit: 20_000, warnings: [] })
})

test('a lowered limit that is still ample is not logged as a warning', async () => {
  expect(await limitWith(20_000, 'Max open files            20000                20000                files')).toEqual({
    limit: 15_000,
    warnings: [],
  })
})
