import { type ServiceError, serviceError } from '../errors/mod.ts'
import { keyPattern } from './files.ts'

/** Returns a valid key. Throws a TypeError otherwise, because keys are built by our code, never by a client. */
export const checkKey = (key: string): string => {
  if (!keyPattern.test(key)) throw new TypeError(`"${key}" cannot be the key of a file.`)
  return key
}

/** The error for reading an unknown key. */
export const missingFile = (key: string): ServiceError => serviceError('not_found', `There is no file "${key}".`)
