import type { BaseConfig } from '../config/mod.ts'
import { createLog, type Log } from '../telemetry/log.ts'

/** The log of a process, as it was told: by itself, lines for the person at a terminal and JSON for machines. */
export const openLog = ({ logLevel: level, logFormat }: Pick<BaseConfig, 'logLevel' | 'logFormat'>): Log =>
  createLog({ level, format: logFormat === 'auto' ? (process.stdout.isTTY ? 'lines' : 'json') : logFormat })
