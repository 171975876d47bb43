/** What the server wrote into the page: see `services/edge/src/pages/entry.ts`. */
export type Facts = {
  version: string
  mounts: readonly string[]
  sign_in: string | null
  base: string
  /** Whether the server has a key for managing branches. */
  has_admin_key: boolean
}

const missing: Facts = {
  version: 'development',
  mounts: ['/listings', '/logs', '/music'],
  sign_in: null,
  base: '',
  has_admin_key: true,
}

const isFacts = (value: unknown): value is Partial<Facts> => typeof value === 'object' && value !== null

const read = (): Facts => {
  const content = document.querySelector('meta[name="trellis"]')?.getAttribute('content') ?? '{}'
  const parsed: unknown = JSON.parse(content)
  return isFacts(parsed) ? { ...missing, ...parsed } : missing
}

export const facts: Facts = read()

/** A path of this installation as the browser must request it, behind the path under which a proxy serves it. */
export const withBase = (path: string): string => facts.base + path
