import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that this machine lacks. The message says where it was looked for. */
export class ExecutableMissing extends Error {
  override name = 'ExecutableMissing'
}

/** Whether a file is a program that we may run. */
export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The folder of programs that a cluster kit beside the checkout brings; unpacked at the first question. */
export const besideCheckout = (): string[] => {
  const script = join(import.meta.dirname, '..', '..', '..', '..', '..', 'shared', 'cluster', 'cluster')
  if (!existsSync(script)) return []
  const { status, stdout } = spawnSync(script, ['bin'], { encoding: 'utf8' })
  return status === 0 ? [stdout.trim()] : []
}

/**
 * Finds a program: what `variable` says in the environment, the PATH, then beside the checkout.
 * Throws ExecutableMissing where there is none.
 */
export const findExecutable = (
  name: string,
  { variable, environment }: { variable: string; environment: NodeJS.ProcessEnv },
): string => {
  const reported = environment[variable]
  if (reported) {
    if (isExecutable(reported)) return reported
    throw new ExecutableMissing(`${variable} is ${reported}, which is no program that can be run.`)
  }
  const onPath = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folders of [() => onPath, besideCheckout]) {
    const found = folders()
      .map((folder) => join(folder, name))
      .find(isExecutable)
    if (found) return found
  }
  throw new ExecutableMissing(`${name} was not found on the PATH; ${variable} can say where it is.`)
}
