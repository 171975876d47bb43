import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminKey } from './open-view.ts'

/** Folders and keys of a machine for screenshots, so that they show nothing of the machine that takes them. */
export type Machine = { sshKey: string; environment: Record<string, string> }

export const openMachine = async (): Promise<AsyncDisposable & Machine> => {
  // A fixed name, as it can be read in the pictures.
  const folder = join(tmpdir(), 'trellis-screens')
  const logs = join(folder, 'log')
  const keys = join(folder, 'keys')
  const sshKey = join(keys, 'id_ed25519')
  await rm(folder, { recursive: true, force: true })
  for (const path of [logs, keys]) await mkdir(path, { recursive: true })
  await writeFile(sshKey, '', { mode: 0o600 })
  return {
    sshKey,
    environment: { SERVICE_LOG_DIRS: logs, SERVICE_SSH_KEY_DIRS: keys, SERVICE_ORCHARD_ADMIN_KEY: adminKey },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
