import { ConfigFailure } from '../config/mod.ts'
import { isFailure } from '../errors/mod.ts'

const listening = (error: unknown): { code: unknown; port: unknown } =>
  error instanceof Error && 'code' in error
    ? { code: error.code, port: 'port' in error ? error.port : '' }
    : { code: '', port: '' }

/** Why a process cannot go on, for the person who started it: a sentence for what they can mend, and all there is for a fault of ours. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigFailure) return error.message
  // A server that cannot be reached or refuses: what it stands on, not what it is.
  if (isFailure(error) && error.kind !== 'internal') return error.message
  const { code, port } = listening(error)
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Stop what listens there, or set PORT to another.`
  if (code === 'EACCES') return `Port ${port} may not be listened on by this user. Set PORT to one above 1023.`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Says why, and ends the process with code 1. */
export const fail = (error: unknown, why: (error: unknown) => string = explain): never => {
  process.stderr.write(`${why(error)}\n`)
  process.exit(1)
}
