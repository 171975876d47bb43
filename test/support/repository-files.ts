import { globSync } from 'node:fs'

/**
 * Paths of the repository's files with one of these extensions, relative to its root, without packages and local data. It reads the folder rather than
 * git, so that it also works in an unpacked archive.
 */
export const repositoryFiles = (root: string, extensions: readonly string[]): string[] =>
  extensions
    .flatMap((extension) =>
      globSync(`**/*.${extension}`, { cwd: root, exclude: ['**/node_modules', 'data', 'coverage'] }),
    )
    .toSorted()
