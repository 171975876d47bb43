import type { Migration } from '@trellis/kit/store'

/** The schema of the context store, step by step. */
export const contextMigrations: readonly Migration[] = []
