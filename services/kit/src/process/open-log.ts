import type { BaseConfig } from '../config/mod.ts'
import { createLog, type Log } from '../telemetry/log.ts'

/** Opens the log of a process. The format `auto` is lines on a terminal and JSON otherwise. */
export const openLog = ({ logLevel: level, logFormat }: Pick<BaseConfig, 'logLevel' | 'logFormat'>): Log =>
  createLog({ level, format: logFormat === 'auto' ? (process.stdout.isTTY ? 'lines' : 'json') : logFormat })
