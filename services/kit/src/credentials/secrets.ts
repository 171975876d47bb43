import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in constant time, whatever the lengths, so that the timing reveals nothing about the secret. */
export const isSameSecret = (presented: string, secret: string): boolean =>
  timingSafeEqual(digest(presented), digest(secret))
