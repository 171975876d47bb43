import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { hasCode } from '../explained.ts'
import { CommandFailure } from '../failure.ts'

/** The one file among the words of a command. Throws CommandFailure if it is not a file that can be read. */
export const inputOf = async (positionals: readonly string[], example: string): Promise<string> => {
  const [path, ...more] = positionals
  if (path === undefined) throw new CommandFailure(`Which file? ${example}`, 2)
  if (more.length > 0)
    throw new CommandFailure(
      `One file at a time, please: "${more.join('", "')}" ${more.length > 1 ? 'are' : 'is'} too many.`,
      2,
    )
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) throw new CommandFailure(`There is no file "${path}".`)
    throw error
  })
  if (found.isDirectory()) throw new CommandFailure(`"${path}" is a folder: name an audio file in it.`)
  // A FIFO is what a shell makes of `<(...)`.
  if (!found.isFile() && !found.isFIFO()) throw new CommandFailure(`"${path}" is not a file.`)
  return path
}

/** The beginning of the names of a command's results. */
export const titleOf = (path: string): string => basename(path, extname(path))
