import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program is missing on this machine. The message states where it was searched. */
export class ExecutableMissing extends Error {
  override name = 'ExecutableMissing'
}

/** Whether this user may execute a file. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder of programs of a cluster kit beside the checkout, which the first call unpacks. */
export const besideCheckout = (): string[] => {
  const script = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'cluster', 'cluster')
  if (!existsSync(script)) return []
  const { status, stdout } = spawnSync(script, ['bin'], { encoding: 'utf8' })
  return status === 0 ? [stdout.trim()] : []
}

/**
 * Finds a program: by the environment's `variable`, on the PATH, then beside the checkout.
 * Throws ExecutableMissing if there is none.
 */
export const findExecutable = (
  name: string,
  { variable, environment }: { variable: string; environment: NodeJS.ProcessEnv },
): string => {
  const configured = environment[variable]
  if (configured) {
    if (isExecutable(configured)) return configured
    throw new ExecutableMissing(`${variable} is ${configured}, which is not an executable file.`)
  }
  const onPath = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folders of [() => onPath, besideCheckout]) {
    const found = folders()
      .map((folder) => join(folder, name))
      .find(isExecutable)
    if (found) return found
  }
  throw new ExecutableMissing(`${name} was not found on the PATH; set ${variable} to its path.`)
}
