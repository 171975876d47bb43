import { INPUTS_FOLDER, samplesOwner } from '../audio/files-layout.ts'
import type { NodeRow } from '../store/tables.ts'

/**
 * What is wrong with audio that is named to be continued: all other files are of other users. The samples of a node are of
 * known shape in its own chain alone; what an administrator places among the inputs is for everyone.
 */
export const faultOfInput = (key: string | null, nodes: readonly NodeRow[]): string | undefined => {
  if (key === null || key.startsWith(`${INPUTS_FOLDER}/`)) return undefined
  const owner = samplesOwner(key)
  const named = `The input ${JSON.stringify(key)}`
  if (owner === undefined)
    return `${named} may not be continued: name the samples of a node in this chain, or a file below ${INPUTS_FOLDER}/.`
  const source = nodes.find(({ id }) => id === owner)
  if (!source) return `${named} is not of a node in this chain.`
  return source.status === 'ready' ? undefined : `${named} is of a node that is not ready.`
}
