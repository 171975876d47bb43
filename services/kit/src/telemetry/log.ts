import pino from 'pino'
import { lineFormat } from './line-format.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Structured logging: `log.info({ chainId }, 'chain created')`. Children carry more context. */
export type Log = {
  debug: (context: object, message: string) => void
  info: (context: object, message: string) => void
  warn: (context: object, message: string) => void
  error: (context: object, message: string) => void
  child: (context: object) => Log
}

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'adminKey',
  'branchKey',
  'llm_api_key',
  'jwt',
]

/** Redacts the values of these names at the top level and one level down. */
const redact = { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '***' }

export type LogOptions = {
  level: LogLevel
  /** `json` for machines, `lines` for terminals. */
  format: 'json' | 'lines'
  destination?: { write: (text: string) => void }
}

export const createLog = ({ level, format, destination = process.stdout }: LogOptions): Log =>
  pino(
    {
      level,
      redact,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.errWithCause, error: pino.stdSerializers.errWithCause },
    },
    format === 'json' ? destination : { write: (text: string) => destination.write(lineFormat(text)) },
  )

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
}
