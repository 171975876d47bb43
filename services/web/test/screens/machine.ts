import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { logLines } from '../support/log-lines.ts'

/** A machine whose logs can be set up and whose key opens others, in a folder of its own: screenshots show nothing of the machine that takes them. */
export type Machine = { adminKey: string; sshKey: string; environment: Record<string, string> }

const linesOf: Readonly<Record<string, number>> = {
  'nginx/access.log': 400,
  'nginx/error.log': 120,
  'postgresql/postgresql.log': 240,
  'shop/checkout.log': 60,
}

export const openMachine = async (): Promise<AsyncDisposable & Machine> => {
  // A fixed name, as it can be read in the pictures.
  const folder = join(tmpdir(), 'trellis-screens')
  const logs = join(folder, 'log')
  const keys = join(folder, 'keys')
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { mode: 0o600 })
  }
  await rm(folder, { recursive: true, force: true })
  for (const [name, lines] of Object.entries(linesOf)) await write(join(logs, name), `${logLines(lines)}\n`)
  const sshKey = join(keys, 'id_ed25519')
  await write(sshKey, '')
  const adminKey = 'of-the-screens'
  return {
    adminKey,
    sshKey,
    environment: { SERVICE_LOG_DIRS: logs, SERVICE_SSH_KEY_DIRS: keys, SERVICE_ORCHARD_ADMIN_KEY: adminKey },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
