import { hash } from 'node:crypto'

/**
 * The id of a template: the first 16 hex digits of SHA-256 over its form, so that every miner assigns a template the same id, regardless of
 * its history.
 */
export const templateIdOf = (form: string): string => hash('sha256', form, 'hex').slice(0, 16)
