import type { KubeObject } from '../objects/object.ts'

/** The values that an object is indexed under. It must be deterministic. */
export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[]

/** Keys by indexed value. */
export type Index<T extends KubeObject> = {
  add: (key: string, object: T) => void
  remove: (key: string, object: T) => void
  get: (value: string) => string[]
}

/** Most values have a single key, for which a set would take 400 bytes. */
type Filed = string | Set<string>

export const createIndex = <T extends KubeObject>(valuesOf: IndexFunction<T>): Index<T> => {
  const keys = new Map<string, Filed>()
  const addTo = (filed: Filed | undefined, key: string): Filed => {
    if (filed === undefined || filed === key) return key
    return typeof filed === 'string' ? new Set([filed, key]) : filed.add(key)
  }
  return {
    add: (key, object) => {
      for (const value of valuesOf(object)) keys.set(value, addTo(keys.get(value), key))
    },
    remove: (key, object) => {
      for (const value of valuesOf(object)) {
        const filed = keys.get(value)
        if (filed === key) keys.delete(value)
        if (!(filed instanceof Set) || !filed.delete(key) || filed.size > 1) continue
        for (const last of filed) keys.set(value, last)
      }
    },
    get: (value) => {
      const filed = keys.get(value)
      return filed === undefined ? [] : typeof filed === 'string' ? [filed] : [...filed]
    },
  }
}

/** Indexes objects by the value of a label; objects without it are not indexed. */
export const byLabel =
  (label: string): IndexFunction<KubeObject> =>
  ({ metadata }) => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [value]
  }
