import { type Domain, type LogPattern, type PatternRow, patternOfRow } from '../pattern.ts'
import { auth } from './auth.ts'
import { gpu } from './gpu.ts'
import { kernel } from './kernel.ts'
import { media } from './media.ts'
import { memory } from './memory.ts'
import { networking } from './networking.ts'
import { power } from './power.ts'
import { serviceHealth } from './service-health.ts'
import { storage } from './storage.ts'
import { webProxy } from './web-proxy.ts'

const rows: readonly (readonly [Domain, readonly PatternRow[]])[] = [
  ['service_health', serviceHealth],
  ['networking', networking],
  ['auth', auth],
  ['storage', storage],
  ['memory', memory],
  ['kernel', kernel],
  ['power', power],
  ['web_proxy', webProxy],
  ['media', media],
  ['gpu', gpu],
]

/** All built-in patterns. A new one is a row of its domain. */
export const libraryPatterns: readonly LogPattern[] = rows.flatMap(([domain, ofDomain]) =>
  ofDomain.map((row) => patternOfRow(domain, row)),
)

const builtIn = new Set(libraryPatterns.map(({ tag }) => tag))

export const isBuiltIn = (tag: string): boolean => builtIn.has(tag)
