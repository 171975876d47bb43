import { fail } from './failing.ts'

export type SettingsOptions<Config> = {
  /** Reads the configuration of the process. Throws ConfigError. */
  read: (environment: NodeJS.ProcessEnv) => Config
  /** Formats the effective configuration (`--print-config`). */
  print: (config: Config) => string
  environment: NodeJS.ProcessEnv
  words: readonly string[]
}

/**
 * Reads the configuration of a process. With `--print-config` it prints the configuration and returns undefined. On an error it exits,
 * with the explanation of `why`.
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
