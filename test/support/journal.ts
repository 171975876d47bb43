import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const remote = ['/usr/lib/systemd/systemd-journal-remote', '/lib/systemd/systemd-journal-remote'].find(existsSync)

const isThere = (command: string) => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Why tests with a real journal cannot run here. */
export const journalMissing: string | undefined = !isThere('journalctl')
  ? 'journalctl is not installed'
  : remote === undefined
    ? 'systemd-journal-remote is not installed'
    : undefined

/** Writes entries to a journal file like systemd, and creates it if needed. */
export const writeJournal = (directory: string, exported: string | Buffer): void => {
  const path = join(directory, 'written.export')
  writeFileSync(path, exported)
  execFileSync(remote ?? '', ['-o', join(directory, 'test.journal'), path], { stdio: 'ignore' })
}
