import { inputsFolder, samplesOwner } from '../audio/files-layout.ts'
import type { NodeRow } from '../store/tables.ts'

/**
 * Why the named audio may not be continued; undefined if it may. Samples of a node are allowed only within its own chain, where
 * their shape is known; inputs that an administrator provides are for everyone; all other files belong to other users.
 */
export const faultOfInput = (key: string | null, nodes: readonly NodeRow[]): string | undefined => {
  if (key === null || key.startsWith(`${inputsFolder}/`)) return undefined
  const owner = samplesOwner(key)
  const named = `The input ${JSON.stringify(key)}`
  if (owner === undefined)
    return `${named} may not be continued: name the samples of a node in this chain, or a file below ${inputsFolder}/.`
  const source = nodes.find(({ id }) => id === owner)
  if (!source) return `${named} is not of a node in this chain.`
  return source.status === 'ready' ? undefined : `${named} is of a node that is not ready.`
}
