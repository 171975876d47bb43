import { ConfigError } from '../config/mod.ts'
import { isDiskFull, isServiceError } from '../errors/mod.ts'

type SystemError = {
  code?: unknown
  syscall?: unknown
  port?: unknown
  address?: unknown
  path?: unknown
  hostname?: unknown
}

const listenSentences: Record<string, (error: SystemError) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use. Stop the process that uses it, or set PORT to another.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Set PORT to a port above 1023.`,
  EADDRNOTAVAIL: ({ address }) =>
    `${address} is not an address of this machine. Set HOST to one that is, or to 0.0.0.0.`,
}

const fileSentences: Record<string, (error: SystemError) => string> = {
  EACCES: ({ path }) => `This user may not open ${path}. Change its owner or its permissions.`,
  EPERM: ({ path }) => `This user may not change ${path}. Change its owner or its permissions.`,
  EROFS: ({ path }) => `${path} is on a file system that is mounted read-only.`,
  ENOSPC: ({ path }) => `No space is left for ${path}. Free space on its disk.`,
}

/** Explains system errors that the user can fix. */
const systemSentence = (error: SystemError): string | undefined => {
  const code = String(error.code)
  if (error.syscall === 'listen') return listenSentences[code]?.(error)
  if (error.syscall === 'getaddrinfo')
    return `The host name ${error.hostname} cannot be resolved. If it is in HOST, set HOST to an address.`
  return typeof error.path === 'string' ? fileSentences[code]?.(error) : undefined
}

/** Explains to the user why a process cannot continue: one sentence for errors that they can fix, the stack for internal errors. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message
  // A dependency cannot be reached or rejects us; the stack would not help.
  if (isServiceError(error) && error.kind !== 'internal') return error.message
  const sentence = error instanceof Error && 'code' in error ? systemSentence(error) : undefined
  if (sentence !== undefined) return sentence
  // Without a path, as databases report it.
  if (isDiskFull(error)) return 'The disk of the data directory is full. Free space on it.'
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Prints the explanation and exits with code 1. */
export const fail = (error: unknown, why: (error: unknown) => string = explain): never => {
  process.stderr.write(`${why(error)}\n`)
  process.exit(1)
}
