import type { Dependencies } from '../dependencies.ts'
import { keepCategoriesFresh } from './refresh.ts'

/** Replaces the list of categories whenever it is due, until the signal of the dependencies aborts; disposal waits for the last attempt. */
export const openCategories = (dependencies: Dependencies): AsyncDisposable => {
  const loop = keepCategoriesFresh(dependencies)
  return { [Symbol.asyncDispose]: () => loop }
}
