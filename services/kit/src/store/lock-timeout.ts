import { isServiceError } from '../errors/mod.ts'

const sqliteBusy = 5
/** SQLSTATE lock_not_available. */
const postgresLocked = '55P03'

/** Whether a query failed because the data stayed locked by another writer for as long as a query waits, on either database. */
export const isLockTimeout = (error: unknown): boolean => {
  if (!isServiceError(error, 'unavailable')) return false
  const { cause } = error
  if (!(cause instanceof Error)) return false
  return 'errcode' in cause && typeof cause.errcode === 'number'
    ? (cause.errcode & 0xff) === sqliteBusy
    : 'code' in cause && cause.code === postgresLocked
}
