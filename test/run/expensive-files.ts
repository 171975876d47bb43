import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

/** What a run of an expensive test file took. */
export type Cost = {
  seconds: number
  /** Hash of the file's text at that time. */
  text: string
}

/** Costs by `PROJECT:PATH`, the path relative to the root. */
export type Costs = Readonly<Record<string, Cost>>

/** Files that took less are not listed: every run runs them. */
export const expensiveSeconds = 4

/** The costs of expensive test files; `npm run test:all -- --record` writes them. */
export const costsFile = join(root, 'test/run/expensive-files.json')

export const hashOfText = (text: string): string => hash('sha256', text).slice(0, 12)

/** The recorded costs. */
export const readCosts = (): Costs => (existsSync(costsFile) ? JSON.parse(readFileSync(costsFile, 'utf8')) : {})

/** The key of a file in the recorded costs. */
export const costKey = (project: string, path: string): string => `${project}:${path}`

/** The path in a key. */
export const pathOfKey = (key: string): string => key.slice(key.indexOf(':') + 1)
