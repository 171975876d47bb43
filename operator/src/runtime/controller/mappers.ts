import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../objects/object.ts'
import type { Mapper } from './controller.ts'

/** Ignores changes that leave `view`, the part of an object that the reconcile reads, as it was. */
export const whenChanged =
  <T extends KubeObject>(view: (object: T) => unknown, keysOf: Mapper<T>): Mapper<T> =>
  (change) => {
    const keys = keysOf(change)
    const isSame =
      keys.length > 0 && change.type === 'changed' && isDeepStrictEqual(view(change.object), view(change.previous))
    return isSame ? [] : keys
  }
