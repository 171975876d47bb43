import { parseCookie } from 'cookie'

/** The value of a cookie in a `Cookie` header; undefined without it. */
export const cookieOf = (header: string | undefined, name: string): string | undefined =>
  parseCookie(header ?? '')[name]
