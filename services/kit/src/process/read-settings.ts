import { fail } from './failing.ts'

export type SettingsOptions<Config> = {
  /** Reads all that the process is told. Throws ConfigFailure. */
  read: (environment: NodeJS.ProcessEnv) => Config
  /** What is in force, for a person (`--print-config`). */
  print: (config: Config) => string
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

/**
 * What a process is told; undefined where it was only to be shown, which is done by then. What cannot be read ends the process,
 * with the reason that `why` gives.
 */
export const readSettings = <Config>(
  { read, print, environment, words }: SettingsOptions<Config>,
  why?: (error: unknown) => string,
): Config | undefined => {
  try {
    const config = read(environment)
    if (!words.includes('--print-config')) return config
    process.stdout.write(print(config))
    return undefined
  } catch (error) {
    return fail(error, why)
  }
}
