import { execFileSync } from 'node:child_process'

/** The path of a program, as found by the shell. */
export const whereIs = (command: string): string | undefined => {
  try {
    return execFileSync('/bin/sh', ['-c', 'command -v "$0"', command], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
