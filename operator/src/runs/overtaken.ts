import { isConflict, isNotFound, type Result, requeueAfter } from '../runtime/mod.ts'

/**
 * Milliseconds after which an object changed by another client is reconciled again, unless its event arrives first.
 */
const afterConflict = 1_000

/** Runs a reconcile; if another client changed or removed the object meanwhile, requeues it instead of failing. */
export const unlessOvertaken = async (look: () => Promise<Result>): Promise<Result> => {
  try {
    return await look()
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return requeueAfter(afterConflict)
    throw error
  }
}
