import { readFile, stat } from 'node:fs/promises'
import { ModelUnusable } from './model-unusable.ts'

const largestDescription = 65_536

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the description of a model, an object in JSON; undefined if there is no such file. Throws ModelUnusable. */
export const readDescription = async (path: string): Promise<Record<string, unknown> | undefined> => {
  const info = await stat(path).catch(() => undefined)
  if (!info) return undefined
  if (info.size > largestDescription) throw new ModelUnusable(`${path} is larger than ${largestDescription} bytes.`)
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new ModelUnusable(`${path} is not JSON.`, { cause })
  }
  if (!isObject(value)) throw new ModelUnusable(`${path} is not an object.`)
  return value
}
