import { type Expression, type SqlBool, sql } from 'kysely'
import type { Dependencies } from '../dependencies.ts'

/**
 * The holder of a deleted account of the marketplace. `identifiers` are its user names and its immutable id, folded with
 * `foldIdentifier`; there is at least one.
 */
export type Person = { readonly platform: string; readonly identifiers: readonly string[] }

/** Deletes what a feature stores about a person, and returns how much that was. Idempotent: it is repeated after failures. */
export type Erase = (
  dependencies: Pick<Dependencies, 'db' | 'config' | 'log' | 'now'>,
  person: Person,
) => Promise<number>

export type Erasure = { readonly name: string; readonly erase: Erase }

/** Folds the case of an identifier as the databases' `lower` does: ASCII letters only. */
export const foldIdentifier = (identifier: string): string =>
  identifier.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Whether a column contains an identifier of a person, in any case: the marketplace does not distinguish user names by case. */
export const identifies = (column: string, { identifiers }: Person): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) in (${sql.join(identifiers)})`
