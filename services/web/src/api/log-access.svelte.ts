import { call } from './client.ts'
import { toFailure } from './failure.ts'
import { keys } from './keys.svelte.ts'

let checking: Promise<void> | undefined

const check = async (): Promise<void> => {
  try {
    await call('POST /logs/api/session', {}, { quiet: true })
  } catch (error) {
    if (toFailure(error).status === 401) keys.markReadOnly()
    // Any other failure is shown by the requests of the page itself.
  }
}

/**
 * Finds out, once, whether the log service requires a key that this page does not have. Without a key a session is refused only if one is required,
 * and with a session cookie from before everything can be read.
 */
export const checkLogAccess = async (): Promise<void> => {
  if (keys.api !== '') return
  checking ??= check()
  await checking
}

/** Enters a key; throws a Failure if it is wrong. */
export const enterKey = async (name: 'api' | 'admin', key: string, remember: boolean): Promise<void> => {
  if (name === 'api')
    await call('POST /logs/api/session', {}, { quiet: true, headers: { authorization: `Bearer ${key}` } })
  else await call('GET /logs/api/orchard/branches', {}, { quiet: true, headers: { 'x-admin-key': key } })
  keys.set(name, key, remember)
}

/** Ends the session and drops the keys. */
export const leaveLogs = async (): Promise<void> => {
  await call('DELETE /logs/api/session', {}, { quiet: true })
  keys.clear()
  checking = undefined
}
