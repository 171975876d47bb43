import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Paths of all files that git tracks or would add, relative to the folder. Throws outside a git checkout. */
export const trackedFiles = async (root: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return stdout.split('\0').filter((path) => path !== '')
}
