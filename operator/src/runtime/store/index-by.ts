import type { KubeObject } from '../objects/object.ts'

/** The values that an object is indexed under. It must be deterministic. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[]

/** Keys by indexed value. */
export type Index<T extends KubeObject> = {
  add: (key: string, object: T) => void
  remove: (key: string, object: T) => void
  get: (value: string) => string[]
}

export const createIndex = <T extends KubeObject>(valuesOf: IndexFunction<T>): Index<T> => {
  const keys = new Map<string, Set<string>>()
  return {
    add: (key, object) => {
      for (const value of valuesOf(object)) {
        const filed = keys.get(value)
        if (filed) filed.add(key)
        else keys.set(value, new Set([key]))
      }
    },
    remove: (key, object) => {
      for (const value of valuesOf(object)) {
        const filed = keys.get(value)
        filed?.delete(key)
        if (filed?.size === 0) keys.delete(value)
      }
    },
    get: (value) => [...(keys.get(value) ?? [])],
  }
}

/** Indexes objects by the value of a label; objects without it are not indexed. */
export const byLabel =
  (label: string): IndexFunction<KubeObject> =>
  ({ metadata }) => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [value]
  }
