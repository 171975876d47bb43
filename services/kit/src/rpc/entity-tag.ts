const tagsOf = (header: string): string[] => header.split(',').map((tag) => tag.trim())

/** Whether an `If-None-Match` header names the current version, by the weak comparison (RFC 9110, 13.1.2). */
export const isUnchanged = (etag: string, ifNoneMatch: string | null | undefined): boolean => {
  const opaque = (tag: string) => tag.replace(/^W\//, '')
  const named = tagsOf(ifNoneMatch ?? '').map(opaque)
  return named.includes('*') || named.includes(opaque(etag))
}

/** Whether an `If-Match` header names the current version, by the strong comparison (RFC 9110, 13.1.1), which a weak tag never satisfies. */
export const isMatched = (etag: string | null | undefined, ifMatch: string): boolean => {
  const named = tagsOf(ifMatch)
  return named.includes('*') || (etag != null && !etag.startsWith('W/') && named.includes(etag))
}
