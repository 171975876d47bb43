import { untrack } from 'svelte'
import { connection } from './connection.svelte.ts'

/** The keys of the log service. They live in memory, and in this tab's session storage only if the user chooses so. */
export type KeyName = 'api' | 'admin'

const stored = (name: KeyName): string => {
  try {
    return sessionStorage.getItem(`trellis.${name}-key`) ?? ''
  } catch {
    return ''
  }
}

const values = $state<Record<KeyName, string>>({ api: stored('api'), admin: stored('admin') })
let prompt = $state.raw<{ name: KeyName; reason: string } | null>(null)
/** Grows when a key is entered or removed, so that what failed without it is loaded again. */
let version = $state(0)
/** The server requires a key that this page does not have: reading works by cookie, changes do not. */
let isReadOnly = $state(false)

export const keys = {
  get api(): string {
    return values.api
  },
  get admin(): string {
    return values.admin
  },
  get version(): number {
    return version
  },
  /** The key dialog that should be open, and why. */
  get prompt(): { name: KeyName; reason: string } | null {
    return prompt
  },
  get isReadOnly(): boolean {
    return isReadOnly && values.api === ''
  },
  /** Why the logs cannot be changed now; undefined if they can. */
  get cannotChange(): string | undefined {
    return keys.isReadOnly ? 'Enter the key to change things.' : connection.cannotChange
  },
  promptFor: (name: KeyName, reason: string): void => {
    if (untrack(() => prompt) === null) prompt = { name, reason }
  },
  dismiss: (): void => {
    prompt = null
  },
  markReadOnly: (): void => {
    isReadOnly = true
  },
  set: (name: KeyName, key: string, remember: boolean): void => {
    values[name] = key
    prompt = null
    version = untrack(() => version) + 1
    try {
      if (remember && key !== '') sessionStorage.setItem(`trellis.${name}-key`, key)
      else sessionStorage.removeItem(`trellis.${name}-key`)
    } catch {
      // Without storage the key lasts as long as the page.
    }
  },
  clear: (): void => {
    for (const name of ['api', 'admin'] as const) keys.set(name, '', false)
    isReadOnly = false
  },
}

const adminPath = /^\/logs\/api\/orchard\//

/** The credentials that a request to a path carries. */
export const credentialsOf = (path: string): Record<string, string> => {
  if (!path.startsWith('/logs/')) return {}
  if (adminPath.test(path)) return values.admin === '' ? {} : { 'x-admin-key': values.admin }
  return values.api === '' ? {} : { authorization: `Bearer ${values.api}` }
}

/** Opens the key dialog after a 401. A wrong key is dropped, since it would fail again. */
export const promptForKey = (path: string, method: string, detail: string): void => {
  if (!path.startsWith('/logs/')) return
  const name = adminPath.test(path) ? 'admin' : 'api'
  if (name === 'api' && method !== 'GET' && values.api === '') isReadOnly = true
  keys.promptFor(name, detail)
}
