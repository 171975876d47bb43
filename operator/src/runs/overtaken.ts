import { isConflict, isNotFound, type Result, requeueAfter } from '../runtime/mod.ts'

/** Milliseconds after which what somebody else changed meanwhile is looked at, if its event does not come before. */
const afterConflict = 1_000

/** What came of looking at an object; where somebody changed or removed it first, that comes, and is looked at. */
export const unlessOvertaken = async (look: () => Promise<Result>): Promise<Result> => {
  try {
    return await look()
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return requeueAfter(afterConflict)
    throw error
  }
}
