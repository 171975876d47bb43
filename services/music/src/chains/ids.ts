import { randomBytes } from 'node:crypto'

/** An opaque id that nobody can guess: 80 bits of chance. */
export const newId = (): string => randomBytes(10).toString('hex')
