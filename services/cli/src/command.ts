import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'
import { CommandFailure } from './failure.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** A command of the command line. */
export type Command = {
  /** Its arguments, as the usage shows them. */
  readonly usage: string
  /** One sentence. */
  readonly purpose: string
  /** What \`--help\` shows below the usage: each option in a line. */
  readonly help?: string
  readonly run: (words: readonly string[], surroundings: Surroundings) => Promise<void>
}

/** What a command uses of its process. Results go to standard output, all else to standard error. */
export type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborts when the user ends the command. */
  readonly signal: AbortSignal
  readonly result: (text: string) => void
  readonly note: (text: string) => void
  /** Replaces the line that shows progress, on a terminal; elsewhere it does nothing. */
  readonly progress: (text: string) => void
}

/** Parses the words after a command. Throws CommandFailure for unknown and incomplete options. */
export const readArguments = <Declared extends Options>(words: readonly string[], options: Declared) => {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new CommandFailure(error instanceof Error ? error.message : String(error), 2, { cause: error })
  }
}

/** Parses a number of an option. Throws CommandFailure. */
export const numberOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new CommandFailure(`--${name} must be a number.`, 2)
  return value
}
