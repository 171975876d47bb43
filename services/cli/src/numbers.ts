import { numberOf } from './command.ts'
import { CommandFailure } from './failure.ts'

export type NumberLimits = {
  readonly min: number
  readonly max: number
  readonly isWhole?: boolean
}

/** Parses a number of an option within limits. Throws CommandFailure. */
export const numberWithin = (
  name: string,
  text: string | undefined,
  { min, max, isWhole = false }: NumberLimits,
): number | undefined => {
  const value = numberOf(name, text)
  if (value === undefined) return undefined
  if (value < min || value > max || (isWhole && !Number.isSafeInteger(value)))
    throw new CommandFailure(`--${name} must be a ${isWhole ? 'whole number' : 'number'} from ${min} to ${max}.`, 2)
  return value
}
