import { ApiError, type Patch } from '../../src/runtime/mod.ts'

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 7396. */
const merge = (target: unknown, patch: unknown): unknown => {
  if (!isMap(patch)) return patch
  const merged: Record<string, unknown> = isMap(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (value !== undefined) merged[name] = merge(merged[name], value)
  }
  return merged
}

const unescapePart = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

type Operation = Extract<Patch, { type: 'json' }>['body'][number]

/** Applies one operation of RFC 6902 to a document in place. */
const operate = (document: unknown, { op, path, value }: Operation): void => {
  const parts = path.split('/').slice(1).map(unescapePart)
  const last = parts.pop()
  let parent = document as Record<string, unknown>
  for (const part of parts) parent = parent?.[part] as Record<string, unknown>
  const isThere = last !== undefined && typeof parent === 'object' && parent !== null
  const held = isThere ? parent[last] : undefined
  const isWrong =
    !isThere ||
    (op === 'test' && JSON.stringify(held) !== JSON.stringify(value)) ||
    ((op === 'remove' || op === 'replace') && held === undefined)
  if (isWrong) throw new ApiError(422, { reason: 'Invalid', message: `The patch does not apply at ${path}.` })
  if (op === 'test') return
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last)
    if (op === 'remove') parent.splice(index, 1)
    else parent.splice(index, op === 'replace' ? 1 : 0, value)
  } else if (op === 'remove') delete parent[last]
  else parent[last] = value
}

/**
 * Returns an object with a patch applied. Server-side apply is simplified: it merges, and does not remove fields that a manager
 * no longer applies.
 */
export const applyPatch = (object: unknown, patch: Patch): unknown => {
  if (patch.type !== 'json') return merge(object, patch.body)
  const document: unknown = structuredClone(object)
  for (const operation of patch.body) operate(document, operation)
  return document
}
