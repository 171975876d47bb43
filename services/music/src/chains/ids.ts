import { randomBytes } from 'node:crypto'

/** An opaque, unguessable id of 80 random bits. */
export const newId = (): string => randomBytes(10).toString('hex')
