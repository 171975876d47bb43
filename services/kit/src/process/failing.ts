import { ConfigError } from '../config/mod.ts'
import { isServiceError } from '../errors/mod.ts'

type SystemError = {
  code?: unknown
  syscall?: unknown
  port?: unknown
  address?: unknown
  path?: unknown
  hostname?: unknown
}

const listenSentences: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use. Stop what listens there, or set PORT to another.`,
  EACCES: ({ port }) => `Port ${port} may not be listened on by this user. Set PORT to one above 1023.`,
  EADDRNOTAVAIL: ({ address }) => `${address} is no address of this machine. Set HOST to one that is, or to 0.0.0.0.`,
}

const fileSentences: Record<string, (error: SystemError) => string> = {
  EACCES: ({ path }) => `${path} may not be opened by this user. Change its owner or its permissions.`,
  EPERM: ({ path }) => `${path} may not be changed by this user. Change its owner or its permissions.`,
  EROFS: ({ path }) => `${path} is on a file system that is mounted read-only.`,
  ENOSPC: ({ path }) => `There is no space left for ${path}. Make room on its disk.`,
}

/** What the system refused, in a sentence, where it is something that a person can change. */
const systemSentence = (error: SystemError): string | undefined => {
  const code = String(error.code)
  if (error.syscall === 'listen') return listenSentences[code]?.(error)
  if (error.syscall === 'getaddrinfo')
    return `The name ${error.hostname} is not known here. If it is in HOST, set that to an address.`
  return typeof error.path === 'string' ? fileSentences[code]?.(error) : undefined
}

/** Why a process cannot go on, for the person who started it: a sentence for what they can mend, and all there is for a fault of ours. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message
  // A server that cannot be reached or refuses: what it stands on, not what it is.
  if (isServiceError(error) && error.kind !== 'internal') return error.message
  const sentence = error instanceof Error && 'code' in error ? systemSentence(error) : undefined
  if (sentence !== undefined) return sentence
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Says why, and ends the process with code 1. */
export const fail = (error: unknown, why: (error: unknown) => string = explain): never => {
  process.stderr.write(`${why(error)}\n`)
  process.exit(1)
}
