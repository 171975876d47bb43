const authorityShape = /^(\[[0-9a-f:.%]+\]|[^\s:@/\\[\]]+)(?::\d{1,5})?$/i

/** The host of an authority without its port, in lower case and without the root's dot; undefined where it is malformed. */
export const hostNameOf = (authority: string): string | undefined => {
  const [, host] = authorityShape.exec(authority) ?? []
  return host
    ?.toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

/** Whether a name always resolves to this machine, without DNS, so that it cannot be rebound. */
export const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')

/** Whether a name matches a pattern: exactly, as a subdomain (`*.example.com`), or any name (`*`). */
export const matchesHost = (pattern: string, name: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : pattern === name)
