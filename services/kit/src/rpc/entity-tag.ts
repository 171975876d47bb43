/** Whether an `If-None-Match` header names the current version, by the weak comparison (RFC 9110, 13.1.2). */
export const isUnchanged = (etag: string, ifNoneMatch: string | null | undefined): boolean => {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  const named = (ifNoneMatch ?? '').split(',').map(opaque)
  return named.includes('*') || named.includes(opaque(etag))
}
