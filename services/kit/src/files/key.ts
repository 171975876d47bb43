import { type ServiceError, serviceError } from '../errors/mod.ts'
import { keyPattern } from './files.ts'

/** Gives a key back if it may be one; throws a TypeError otherwise: keys are made by us, never by a caller. */
export const checkKey = (key: string): string => {
  if (!keyPattern.test(key)) throw new TypeError(`"${key}" cannot be the key of a file.`)
  return key
}

/** What reading a key that nothing was stored under fails with. */
export const missingFile = (key: string): ServiceError => serviceError('not_found', `There is no file "${key}".`)
