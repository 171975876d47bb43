import { hash } from 'node:crypto'

/**
 * The id of a template: the first 16 hex digits of SHA-256 over its form. Whoever finds the same template gives it the same id, whatever
 * came before.
 */
export const templateIdOf = (form: string): string => hash('sha256', form, 'hex').slice(0, 16)
